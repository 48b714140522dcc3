using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;

namespace Snippets;

internal static class Brokers
{
    public static async Task Run()
    {
        // without a broker, the failure is the one that calls without a server have
        try
        {
            await Serve("amqp://127.0.0.1:1/store");
        }
        catch (RpcCallException e)
        {
            Console.WriteLine(e.Status); //> Unavailable
        }
    }

    private static async Task Serve(string address)
    {
        // snippet: server
        await using RabbitMqServer server = await RabbitMqServer.StartAsync(
            address, // amqp://me:secret@broker/trading/store
            new RabbitMqServerOptions { Prefetch = 16, DeadLettered = letter => Console.WriteLine(letter.Reason) },
            StoreRpc.Service(new Store()));
        // end-snippet
        LookAtMarks();
        await Call(address);
    }

    private static async Task Call(string address)
    {
        // snippet: client
        await using RabbitMqClient client = await RabbitMqClient.ConnectAsync(address, new RabbitMqClientOptions
        {
            CallTimeout = TimeSpan.FromSeconds(10),
            Retry = new RpcRetryPolicy(), // for methods with [IpcIdempotent], and for what was certainly not handled
        });
        IStore store = client.For<IStore>();
        Item apple = store.Get("apple");
        // end-snippet
        Console.WriteLine(apple.Count);
        await Upload(store);
    }

    private static async Task Upload(IStore store)
    {
        // snippet: upload
        try
        {
            Totals totals = await store.ImportAsync(Delivery()); // asked for items only while the server has room
            Console.WriteLine(totals.Items);
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable && !e.IsUnsent)
        {
            Console.WriteLine("how much of it was imported is not known: " + e.Message);
        }
        // end-snippet
    }

    private static async IAsyncEnumerable<Item> Delivery()
    {
        yield return new Item("apple", 10);
        await Task.Yield();
        yield return new Item("fig", 2);
    }

    private static void LookAtMarks()
    {
        // snippet: marks
        // in a handler
        RpcMetadata metadata = RpcContext.Current!.RequestMetadata;
        if (metadata.GetText(RabbitMqMarks.Redelivered) is not null)
            Console.WriteLine(metadata.GetText(RabbitMqMarks.MessageId) + " may have been handled before");
        // end-snippet
    }
}
