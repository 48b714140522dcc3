using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

internal static class Failures
{
    public static Task Run()
    {
        // snippet: open
        try
        {
            SharedQueue.Open("absent", new QueueOptions { OpenMode = OpenMode.OpenExisting }).Dispose();
        }
        catch (IpcException e)
        {
            Console.WriteLine(e.Status); //> NotFound
        }
        // end-snippet

        // snippet: connect
        try
        {
            RpcClient.Connect("nobody", new RpcClientOptions { ConnectTimeout = TimeSpan.Zero }).Dispose();
        }
        catch (RpcCallException e)
        {
            Console.WriteLine(e.Status); //> Unavailable
        }
        // end-snippet

        // snippet: without
        using RpcClient early = RpcClient.Create("store"); // connects with its first call, and again whenever there is no connection
        try
        {
            StoreRpc.Client(early).Get("pear");
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable)
        {
            Console.WriteLine("not yet"); //> not yet
        }
        // end-snippet

        using RpcServer server = RpcServer.Start("store", StoreRpc.Service(new Store()));
        using RpcClient client = RpcClient.Connect("store");
        Console.WriteLine(StoreRpc.Client(early).Get("pear").Count); //> 3

        // snippet: call
        Console.WriteLine(Ask(StoreRpc.Client(client), "pear", default)); //> 3
        Console.WriteLine(Ask(StoreRpc.Client(client), "plum", default)); //> no such thing: There is no plum.
        // end-snippet

        // snippet: changes
        client.ConnectionChanged += (_, change) => { }; // Connected or Lost, with the reason and the server's process
        // end-snippet
        return Task.CompletedTask;
    }

    // snippet: ask
    private static string Ask(IStore store, string sku, CancellationToken cancellationToken)
    {
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            return store.Get(sku).Count.ToString();
        }
        catch (RpcCallException e)
        {
            return e.Status switch
            {
                RpcStatus.NotFound => "no such thing: " + e.Message,                  // the handler said so: part of the contract
                RpcStatus.DeadlineExceeded => "too slow, it may have happened",       // only repeat what can be repeated
                RpcStatus.Unavailable => "the server is gone; the next call connects again",
                RpcStatus.Unimplemented => "the server is of another version: " + e.Message,
                _ => e.Status + ": " + e.Message,
            };
        }
    }
    // end-snippet
}
