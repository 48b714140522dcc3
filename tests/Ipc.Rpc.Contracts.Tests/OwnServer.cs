using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>A server in this process, under a name of its own, and a client of it.</summary>
internal sealed class OwnServer : IDisposable
{
    private static int _number;

    private readonly RpcServer _server;

    public OwnServer(RpcClientOptions? options, params RpcService[] services)
    {
        string name = "contracts-" + Environment.ProcessId + "-" + Interlocked.Increment(ref _number);
        _server = RpcServer.Start(name, services);
        Client = RpcClient.Connect(name, options);
    }

    public OwnServer(params RpcService[] services)
        : this(null, services)
    {
    }

    public RpcClient Client { get; }

    /// <summary>A stream that is there already.</summary>
    public static async IAsyncEnumerable<T> Items<T>(params T[] items)
    {
        foreach (T item in items)
        {
            await System.Threading.Tasks.Task.Yield();
            yield return item;
        }
    }

    public void Dispose()
    {
        Client.Dispose();
        _server.Dispose();
    }
}
