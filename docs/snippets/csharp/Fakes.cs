using System;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

internal static class Fakes
{
    public static Task Run()
    {
        // snippet: direct
        Shelf shelf = new(new Store()); // a contract is an interface: nothing of Ipc is needed to test its users ...
        Console.WriteLine(shelf.IsLow("pear")); //> True
        // end-snippet

        // snippet: wire
        string name = "test-" + Guid.NewGuid().ToString("N"); // ... and a name of its own makes a server private to a test
        using RpcServer server = RpcServer.Start(name, StoreRpc.Service(new Store()));
        using RpcClient client = RpcClient.Connect(name);
        Console.WriteLine(new Shelf(StoreRpc.Client(client)).IsLow("pear")); //> True
        // end-snippet

        // snippet: failing
        server.Dispose(); // or kill the process: both end every call at once
        try
        {
            new Shelf(StoreRpc.Client(client)).IsLow("pear");
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable)
        {
            Console.WriteLine(e.Status); //> Unavailable
        }
        // end-snippet
        return Task.CompletedTask;
    }

    private sealed class Shelf(IStore store)
    {
        public bool IsLow(string sku) => store.Get(sku).Count < 5;
    }
}
