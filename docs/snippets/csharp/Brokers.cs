using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Hosting.RabbitMq;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

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

        await Hosted();
    }

    private static async Task Hosted()
    {
        // snippet: host-server
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Services.AddIpcRabbitMqServer("store")
            .AddService<IStore, Store>() // or an object for each call, with ServiceLifetime.Scoped
            .WaitForBroker() // the host starts without a broker, too
            .Options.BindConfiguration("Store");
        // end-snippet

        // snippet: host-client
        builder.Services.AddIpcRabbitMqClient<IStore>("store", options => options.Rpc.CallTimeout = TimeSpan.FromSeconds(10))
            .WaitForReady()
            .Retry(attempts: 3, on: [RpcStatus.Unavailable])
            .Options.BindConfiguration("Store");
        // end-snippet

        // snippet: host-health
        builder.Services.AddHealthChecks()
            .Add(IpcRabbitMqHealthChecks.Server("store"))
            .Add(IpcRabbitMqHealthChecks.Client("store"));
        // end-snippet

        builder.Configuration["Store:Address"] = "amqp://127.0.0.1:1/store"; // nobody is there
        builder.Logging.ClearProviders();
        using IHost host = builder.Build();
        await host.StartAsync();
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Console.WriteLine(report.Entries["ipc-rabbitmq-server:store"].Status); //> Unhealthy
        await host.StopAsync();
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
