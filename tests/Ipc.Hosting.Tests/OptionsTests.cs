using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
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
        Assert.Equal(["Rpc.CallTimeout", "Rpc.StreamWindow"], wrong.Failures.Select(static text => text.Split(' ')[0]));
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
        Assert.Equal(RpcStatus.Unavailable, (await Assert.ThrowsAsync<RpcCallException>(() => Started(builder))).Status);
        Assert.Single(Logged.Of(9));
    }

    /// <summary>Taking a proxy out of the container neither waits for a server nor fails without one: each had blocked for ConnectTimeout, in the middle of the container's work.</summary>
    [Fact]
    public async Task AHostWithoutItsServerStartsAndItsNextUseTriesAgain()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient<IGreeter>("greeter", GreeterRpc.Client, static options => options.Rpc.ConnectTimeout = Timeout.InfiniteTimeSpan);
        using IHost host = await Started(builder);
        IGreeter greeter = await Task.Run(() => host.Services.GetRequiredService<IGreeter>(), TestContext.Current.CancellationToken).WaitAsync(Watchdog);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => greeter.Greet("Ada")).Status);
        using RpcServer server = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter()));
        Assert.Equal("Hello, Ada", greeter.Greet("Ada"));
        await Eventually(() => Logged.Of(8).Length == 1);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AHostThatConnectsAtStartWaitsForItsServer()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient<IGreeter>("greeter", GreeterRpc.Client, static options =>
        {
            options.ConnectOnStart = true;
            options.Rpc.ConnectTimeout = Watchdog;
        });
        using IHost host = builder.Build();
        Task starting = host.StartAsync();
        Assert.False(starting.IsCompleted, "started without its server");
        using RpcServer server = RpcServer.Start("greeter", GreeterRpc.Service(new Greeter()));
        await starting.WaitAsync(Watchdog);
        Assert.True(host.Services.GetRequiredKeyedService<RpcClient>("greeter").IsConnected);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    /// <summary>What Ipc.Rpc refuses is refused when the host starts, and nothing else.</summary>
    [Theory]
    [InlineData("StreamWindow", 31, 32)]
    [InlineData("StreamWindow", 65536, 65535)]
    [InlineData("MaxConcurrentCalls", -1, 0)]
    [InlineData("MaxThreads", 1, 2)]
    [InlineData("MaxPendingCalls", 0, 1)]
    [InlineData("MaxUnsentBytes", 0, 1)]
    [InlineData("MaxHeldBytes", 0, 1)]
    [InlineData("MaxConnections", 0, 1)]
    [InlineData("MaxConnections", 16384, 16383)]
    [InlineData("MaxRingCapacity", 4097, 4096)]
    [InlineData("MaxRingCapacity", 1L << 31, 1L << 30)]
    [InlineData("MaxLoanBudget", -1, 0)]
    [InlineData("MaxLoanBudget", (64L << 30) + 1, 64L << 30)]
    public async Task TheServersBoundsAreThoseOfTheLibrary(string option, long wrong, long right)
    {
        static RpcServerOptions With(string option, long value)
        {
            var options = new RpcServerOptions();
            System.Reflection.PropertyInfo property = typeof(RpcServerOptions).GetProperty(option)!;
            property.SetValue(options, Convert.ChangeType(value, property.PropertyType, System.Globalization.CultureInfo.InvariantCulture));
            return options;
        }

        Assert.ThrowsAny<Exception>(() => RpcServer.Open("greeter", With(option, wrong)).Dispose());
        RpcServer.Open("greeter", With(option, right)).Dispose();
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("greeter", options => options.Rpc = With(option, wrong));
        Assert.StartsWith("Rpc." + option + " is " + wrong + ";", Assert.Single((await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder))).Failures), StringComparison.Ordinal);

        HostApplicationBuilder good = Builder();
        good.Services.AddIpcServer("greeter", options => options.Rpc = With(option, right));
        using IHost host = await Started(good);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Theory]
    [InlineData("")]
    [InlineData(".hidden")]
    [InlineData("a/b")]
    [InlineData("a b")]
    [InlineData("a~b")]
    public async Task ANameThatNobodyCanHaveIsRefused(string name)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcClient("greeter", options => options.Rpc.ConnectTimeout = TimeSpan.Zero).Options.PostConfigure(options => options.Name = name);
        Assert.StartsWith("Name is", Assert.Single((await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder))).Failures), StringComparison.Ordinal);
        Assert.ThrowsAny<IpcException>(() => RpcClient.Connect(name));
    }
}
