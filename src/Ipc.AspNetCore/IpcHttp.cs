using System;
using System.Net.Http;
using Ipc.Pipelines;

namespace Ipc.AspNetCore;

/// <summary>Clients of HTTP, and so of gRPC, over shared memory.</summary>
public static class IpcHttp
{
    /// <summary>Of a stream, and of a connection: there is no bandwidth to be probed, and a message of this size is
    /// sent at once.</summary>
    private const int Window = 1 << 20;

    /// <summary>A handler for <see cref="HttpClient"/> or a <c>GrpcChannel</c> whose connections all go to the server
    /// <paramref name="name"/>, whatever the address says: <c>http://localhost</c> will do.</summary>
    /// <remarks>A server that is not there is an <see cref="HttpRequestException"/> with an
    /// <see cref="IpcException"/> in it (NotFound), at once unless <see cref="IpcPipeOptions.ConnectTimeout"/> says to
    /// wait; one that dies, one with PeerDied. The next request looks for the server anew.</remarks>
    /// <param name="name">What the server listens at.</param>
    /// <param name="options">How to connect.</param>
    public static SocketsHttpHandler CreateHandler(string name, IpcPipeOptions? options = null) =>
        new SocketsHttpHandler { UseProxy = false, InitialHttp2StreamWindowSize = Window }.UseIpc(name, options);

    /// <summary>All connections of the handler go to the server <paramref name="name"/>.</summary>
    /// <param name="handler">One that nothing was sent by.</param>
    /// <param name="name">What the server listens at.</param>
    /// <param name="options">How to connect.</param>
    public static SocketsHttpHandler UseIpc(
        this SocketsHttpHandler handler, string name, IpcPipeOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentException.ThrowIfNullOrEmpty(name);
        handler.ConnectCallback = async (_, cancellationToken) =>
            (await IpcPipe.ConnectAsync(name, options, cancellationToken).ConfigureAwait(false)).AsStream();
        return handler;
    }
}
