using System;
using Ipc.Rpc.Peer;

namespace Ipc.Rpc.Tests;

/// <summary>A server of <see cref="Shapes"/> in this process, with one client.</summary>
internal sealed class ShapeServer : IDisposable
{
    public ShapeServer(RpcClientOptions? options = null)
    {
        string name = TestServer.NewName();
        Server = RpcServer.Start(name, Shapes.Service(), TestServiceRpc.Service(Test));
        Client = RpcClient.Connect(name, options);
    }

    public Shapes Shapes { get; } = new();

    public TestService Test { get; } = new();

    public RpcServer Server { get; }

    public RpcClient Client { get; }

    public void Dispose()
    {
        Client.Dispose();
        Server.Dispose();
    }
}
