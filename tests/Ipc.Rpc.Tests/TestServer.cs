using System;
using System.Threading;
using Ipc.Rpc.Peer;

namespace Ipc.Rpc.Tests;

/// <summary>A server in this process with a name of its own, and clients of it.</summary>
internal sealed class TestServer : IDisposable
{
    private static int _number;

    public TestServer(RpcServerOptions? options = null)
    {
        Server = RpcServer.Start(Name, options, TestServiceRpc.Service(Service));
    }

    public string Name { get; } = NewName();

    public TestService Service { get; } = new();

    public RpcServer Server { get; }

    public static string NewName() => "rpc-test-" + Environment.ProcessId + "-" + Interlocked.Increment(ref _number);

    public RpcClient Connect(RpcClientOptions? options = null) => RpcClient.Connect(Name, options);

    public void Dispose() => Server.Dispose();
}
