using System.Threading;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>A type that no serializer has heard of, in a method made by hand.</summary>
public sealed class Unserializable
{
    internal static RpcMethod<Unserializable, Unserializable> Method(IpcSerializer serializer)
    {
        MessageCodec<Unserializable> codec = serializer.Codec<Unserializable>("Unserializable");
        return new RpcMethod<Unserializable, Unserializable>("serializers.unknown.v1", "Mirror", RpcMethodKind.Unary, codec, codec);
    }

    internal static RpcService Service(RpcMethod<Unserializable, Unserializable> method)
        => new(method.Service, [RpcHandler.Unary(method, static (Unserializable request, CancellationToken _) => request)]);
}
