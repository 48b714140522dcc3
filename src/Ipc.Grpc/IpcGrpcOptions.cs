using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>How the gateway calls Ipc servers, and what it tells gRPC's clients.</summary>
public sealed class IpcGrpcOptions
{
    /// <summary>Of the connections that the gateway makes by a server's name. They are copied when the first service of
    /// a server is mapped.</summary>
    public RpcClientOptions Client { get; set; } = new();

    /// <summary>Whether callers get the type and the text of an exception that a handler threw unintendedly, as they do
    /// over Ipc. Otherwise they get the status <see cref="RpcStatus.Unknown"/> with a text that says nothing: for
    /// callers that are not trusted. Texts of an <see cref="RpcCallException"/> are sent in any case. Default:
    /// <see langword="true"/>.</summary>
    public bool SendExceptions { get; set; } = true;
}
