using System;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Xunit;

namespace Ipc.Hosting.Tests;

/// <summary>A host's connections: found by the contract, waiting for their servers, calling again.</summary>
public sealed class ClientTests : HostTest
{
    [Fact]
    public async Task AProxyIsFoundByItsContractAndWaitsForItsServer()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient<IGreeter>("greeter").WaitForReady().Retry(attempts: 4, on: [RpcStatus.Unavailable, RpcStatus.Aborted], firstPause: TimeSpan.FromMilliseconds(2));
        using IHost host = await Started(builder);
        RpcClientOptions options = host.Services.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get("greeter").Rpc;
        Assert.Equal((true, 4, TimeSpan.FromMilliseconds(2)), (options.WaitForReady, options.Retry!.Attempts, options.Retry.FirstPause));
        Assert.Equal([RpcStatus.Unavailable, RpcStatus.Aborted], options.Retry.On);

        Task<string> greeting = Task.Run(() => host.Services.GetRequiredService<IGreeter>().Greet("Ada"));
        using RpcServer server = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter()));
        Assert.Equal("Hello, Ada", await greeting.WaitAsync(Watchdog));
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task SharedOptionsStayAsTheyAre()
    {
        var shared = new RpcClientOptions();
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("east", options => options.Rpc = shared).WaitForReady().Retry();
        builder.Services.AddIpcClient("west", options => options.Rpc = shared);
        using IHost host = await Started(builder);
        Assert.True(host.Services.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get("east").Rpc.WaitForReady);
        Assert.Equal((false, null), (shared.WaitForReady, shared.Retry));
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task APolicyThatMeansNothingKeepsTheHostFromStarting()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient<IGreeter>("greeter").Retry(attempts: 0, firstPause: TimeSpan.FromHours(1));
        OptionsValidationException wrong = await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder));
        Assert.Equal(2, new System.Collections.Generic.List<string>(wrong.Failures).Count);
    }
}
