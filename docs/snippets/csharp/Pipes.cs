using System;
using System.IO;
using System.IO.Pipes;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

internal static class Pipes
{
    public static async Task Run()
    {
        Task serving = Serve();

        // snippet: pipe-client
        using NamedPipeClientStream pipe = new(".", "store", PipeDirection.InOut);
        await pipe.ConnectAsync(5000);
        using StreamWriter output = new(pipe, leaveOpen: true) { AutoFlush = true };
        using StreamReader input = new(pipe, leaveOpen: true);
        await output.WriteLineAsync("get pear");
        Console.WriteLine(await input.ReadLineAsync()); //> 3
        // end-snippet
        await serving;

        using RpcServer server = RpcServer.Start("store", StoreRpc.Service(new Store()));

        // snippet: ipc-client
        using RpcClient client = RpcClient.Connect("store", new RpcClientOptions { ConnectTimeout = TimeSpan.FromSeconds(5) });
        Console.WriteLine(StoreRpc.Client(client).Get("pear").Count); //> 3
        // end-snippet
    }

    // snippet: pipe-server
    private static async Task Serve()
    {
        Store store = new();
        using NamedPipeServerStream pipe = new("store", PipeDirection.InOut, maxNumberOfServerInstances: 1);
        await pipe.WaitForConnectionAsync();
        using StreamReader input = new(pipe, leaveOpen: true);
        using StreamWriter output = new(pipe, leaveOpen: true) { AutoFlush = true };
        if (await input.ReadLineAsync() is { } line && line.Split(' ') is ["get", var sku])
            await output.WriteLineAsync(store.Get(sku).Count.ToString());
    }
    // end-snippet
}
