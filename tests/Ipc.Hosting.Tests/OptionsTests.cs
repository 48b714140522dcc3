using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Xunit;

namespace Ipc.Hosting.Tests;

/// <summary>Options come from code and configuration, and wrong ones keep a host from starting.</summary>
public sealed class OptionsTests : HostTest
{
    [Fact]
    public async Task OptionsAreBoundToConfiguration()
    {
        HostApplicationBuilder builder = Builder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Greeter:Name"] = "configured",
            ["Greeter:DrainTimeout"] = "00:00:03",
            ["Greeter:Rpc:MaxThreads"] = "7",
            ["Client:Name"] = "configured",
            ["Client:Rpc:CallTimeout"] = "00:00:20",
        });
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>(GreeterRpc.Service).Options.BindConfiguration("Greeter");
        builder.Services.AddIpcClient<IGreeter>("greeter", GreeterRpc.Client).Options.BindConfiguration("Client");
        using IHost host = await Started(builder);
        IpcServerOptions options = host.Services.GetRequiredService<IOptionsMonitor<IpcServerOptions>>().Get("greeter");
        Assert.Equal(("configured", TimeSpan.FromSeconds(3), 7), (options.Name, options.DrainTimeout, options.Rpc.MaxThreads));
        Assert.Equal(TimeSpan.FromSeconds(20), host.Services.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get("greeter").Rpc.CallTimeout);
        Assert.Equal("Hello, Ada", host.Services.GetRequiredService<IGreeter>().Greet("Ada"));
        Assert.Equal("configured", host.Services.GetRequiredKeyedService<RpcClient>("greeter").Name);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task EverythingThatIsWrongIsSaidWhenTheHostStarts()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter", static options =>
        {
            options.DrainTimeout = TimeSpan.FromSeconds(-1);
            options.Rpc.MaxThreads = 1;
            options.Rpc.MaxPendingCalls = 0;
        });
        OptionsValidationException wrong = await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder));
        Assert.Equal(["DrainTimeout", "Rpc.MaxThreads", "Rpc.MaxPendingCalls"], wrong.Failures.Select(static text => text.Split(' ')[0]));
    }

    [Fact]
    public async Task AClientsOptionsAreCheckedToo()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("greeter", static options =>
        {
            options.Rpc.StreamWindow = 0;
            options.Rpc.CallTimeout = TimeSpan.FromSeconds(-2);
        });
        OptionsValidationException wrong = await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder));
        Assert.Equal(["Rpc.StreamWindow", "Rpc.CallTimeout"], wrong.Failures.Select(static text => text.Split(' ')[0]));
    }

    [Fact]
    public async Task AHostThatWantsItsConnectionAtStartDoesNotStartWithout()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("nobody", static options =>
        {
            options.ConnectOnStart = true;
            options.Rpc.ConnectTimeout = TimeSpan.Zero;
        });
        Assert.Equal(RpcStatus.Unavailable, (await Assert.ThrowsAsync<RpcException>(() => Started(builder))).Status);
        Assert.Single(Logged.Of(9));
    }

    [Fact]
    public async Task AHostWithoutItsServerStartsAndItsNextUseTriesAgain()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient<IGreeter>("greeter", GreeterRpc.Client, static options => options.Rpc.ConnectTimeout = TimeSpan.Zero);
        using IHost host = await Started(builder);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcException>(() => host.Services.GetRequiredService<IGreeter>()).Status);
        using RpcServer server = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter()));
        host.Services.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get("greeter").Rpc.ConnectTimeout = Watchdog;
        Assert.Equal("Hello, Ada", host.Services.GetRequiredService<IGreeter>().Greet("Ada"));
        await host.StopAsync().WaitAsync(Watchdog);
    }
}
