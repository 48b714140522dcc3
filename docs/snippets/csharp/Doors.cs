using System;
using System.Text;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

internal static class Doors
{
    public static Task Run()
    {
        // snippet: accept
        RpcServerOptions options = new()
        {
            MaxConnections = 16,
            MaxRingCapacity = 1 << 20, // what one client may make this process map
            MaxLoanBudget = 64 << 20,
            Accept = peer => Encoding.UTF8.GetString(peer.Hello.Span) == "till 7" ? null : "only tills are served here",
        };
        using RpcServer server = RpcServer.Start("store", options, StoreRpc.Service(new Store()));
        // end-snippet

        // snippet: hello
        try
        {
            RpcClient.Connect("store", new RpcClientOptions { LoanBudget = 16 << 20 }).Dispose();
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unauthenticated)
        {
            Console.WriteLine(e.Message.Contains("only tills are served here", StringComparison.Ordinal)); //> True
        }

        RpcClientOptions introduced = new() { Hello = Encoding.UTF8.GetBytes("till 7"), LoanBudget = 16 << 20 };
        using RpcClient client = RpcClient.Connect("store", introduced);
        Console.WriteLine(StoreRpc.Client(client).Get("pear").Count); //> 3
        // end-snippet
        return Task.CompletedTask;
    }
}
