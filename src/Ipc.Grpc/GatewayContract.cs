using System;
using System.Collections.Generic;
using Grpc.Core;
using Ipc.Rpc.Generator;

namespace Ipc.Grpc;

/// <summary>A contract, as its <c>.proto</c> has it.</summary>
internal sealed class GatewayContract
{
    private GatewayContract(ProtoFile file) => File = file;

    public ProtoFile File { get; }

    /// <summary>The service's name in Ipc: the package.</summary>
    public string Service => File.Package;

    /// <summary>The service's name in gRPC: the package and the service.</summary>
    public string FullName => File.Package + "." + File.Services[0];

    public IReadOnlyDictionary<string, ProtoRpc> Methods => File.Methods;

    /// <exception cref="ArgumentException">The text is not the .proto of a contract.</exception>
    public static GatewayContract Parse(string proto)
    {
        ArgumentNullException.ThrowIfNull(proto);
        ProtoFile file;
        try
        {
            file = ProtoFileParser.Parse(proto);
        }
        catch (FormatException e)
        {
            throw new ArgumentException("The text is no .proto: " + e.Message + ".", nameof(proto), e);
        }

        if (file.Package.Length == 0)
            throw new ArgumentException(
                "The .proto has no package, which is the name of an Ipc service. Add \"package NAME;\".",
                nameof(proto));
        if (file.Services.Count != 1)
            throw new ArgumentException(
                "The .proto of " + file.Package + " has " + (file.Services.Count == 0
                    ? "no service"
                    : "the services " + string.Join(", ", file.Services)) +
                "; that of a contract has one. ipc proto prints it, and XRpc.Proto of the generated code is it.",
                nameof(proto));
        return new GatewayContract(file);
    }

    /// <summary>What gRPC calls the kind of a method.</summary>
    public static MethodType TypeOf(ProtoRpc method) => (method.Input.Length > 0, method.IsOutputStream) switch
    {
        (false, false) => MethodType.Unary,
        (false, true) => MethodType.ServerStreaming,
        (true, false) => MethodType.ClientStreaming,
        _ => MethodType.DuplexStreaming,
    };
}
