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
            .AddService<IStore, Store>(StoreRpc.Service); // a singleton, made by the container
        // end-snippet

        // snippet: client
        builder.Services.AddIpcClient("store", StoreRpc.Client, options => options.Rpc.CallTimeout = TimeSpan.FromSeconds(5));
        // end-snippet

        // snippet: health
        builder.Services.AddHealthChecks()
            .Add(IpcHealthChecks.Server("store"))
            .Add(IpcHealthChecks.Client("store"));
        // end-snippet

        builder.Logging.ClearProviders();
        using IHost host = builder.Build();
        await host.StartAsync();

        // snippet: use
        IStore store = host.Services.GetRequiredService<IStore>(); // or a constructor parameter
        Console.WriteLine(store.Get("pear").Count); //> 3
        // end-snippet

        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Console.WriteLine(report.Status); //> Healthy
        await host.StopAsync();
    }
}
