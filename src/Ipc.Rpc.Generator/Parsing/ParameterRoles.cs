using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What a parameter is for follows from its type alone.</summary>
internal static class ParameterRoles
{
    public static ParameterRole Of(IParameterSymbol parameter) => parameter.Type.FullName() switch
    {
        "System.Threading.CancellationToken" => ParameterRole.Cancel,
        "ProtoBuf.Grpc.CallContext" => ParameterRole.CallContext,
        TypeNames.AsyncEnumerable => ParameterRole.Stream,
        "System.IProgress`1" => ParameterRole.Progress,
        _ => ParameterRole.Argument,
    };
}
