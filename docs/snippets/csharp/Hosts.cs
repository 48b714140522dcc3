using System;
using System.Threading.Tasks;
using Ipc.Hosting;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Snippets;

internal static class Hosts
{
    public static async Task Run()
    {
        // snippet: server
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Services.AddIpcServer("store", options => options.DrainTimeout = TimeSpan.FromSeconds(5))
            .AddService<IStore, Store>(); // a singleton, made by the container
        // end-snippet

        // snippet: scoped
        builder.Services.AddScoped<Till>();
        builder.Services.AddIpcServer("tills")
            .AddService<IStore, TillStore>(ServiceLifetime.Scoped); // an object for each call, with a scope that ends with it
        // end-snippet

        // snippet: client
        builder.Services.AddIpcClient<IStore>("store", options => options.Rpc.CallTimeout = TimeSpan.FromSeconds(5))
            .WaitForReady()
            .Retry(attempts: 3, on: [RpcStatus.Unavailable]);
        // end-snippet

        // snippet: worker
        builder.Services.AddQueueWorker<Order, OrderHandler>("orders", options => options.PoisonQueue = "orders.poison");
        builder.Services.AddTopicConsumer<Change, ChangeHandler>("changes");
        // end-snippet

        // snippet: sender
        builder.Services.AddQueueSender<Order>("orders");
        builder.Services.AddTopicPublisher<Change>("changes");
        // end-snippet

        // snippet: health
        builder.Services.AddHealthChecks()
            .Add(IpcHealthChecks.Server("store"))
            .Add(IpcHealthChecks.Client("store"))
            .Add(IpcHealthChecks.Worker("orders"));
        // end-snippet

        builder.Logging.ClearProviders();
        using IHost host = builder.Build();
        await host.StartAsync();

        // snippet: use
        IStore store = host.Services.GetRequiredService<IStore>(); // or a constructor parameter
        Console.WriteLine(store.Get("pear").Count); //> 3
        // end-snippet

        // snippet: send
        QueueSender<Order> orders = host.Services.GetRequiredService<QueueSender<Order>>(); // or a constructor parameter
        await orders.SendAsync(new Order("pear", 2));
        // end-snippet
        Console.WriteLine(await OrderHandler.Handled.Task); //> pear: 2

        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Console.WriteLine(report.Status); //> Healthy
        await host.StopAsync();
    }
}
