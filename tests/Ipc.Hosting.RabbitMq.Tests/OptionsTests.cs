using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Ipc.Hosting.Tests;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Xunit;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>Options come from code and configuration, and wrong ones keep a host from starting. No broker is needed to see that.</summary>
public sealed class OptionsTests : HostTest
{
    private const string Nowhere = "amqp://127.0.0.1:1/desk";

    [Fact]
    public async Task OptionsAreBoundToConfiguration()
    {
        HostApplicationBuilder builder = Builder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Desk:Address"] = "amqp://127.0.0.1:1/trading/desk",
            ["Desk:User"] = "me",
            ["Desk:Password"] = "se/cr@et",
            ["Desk:DrainTimeout"] = "00:00:03",
            ["Desk:Rpc:Prefetch"] = "7",
            ["Desk:Rpc:WaitForBroker"] = "true",
            ["Desk:Rpc:QueueKind"] = "Classic",
            ["Desk:Rpc:Handlers:MaxThreads"] = "5",
            ["Office:Address"] = "amqp://127.0.0.1:1/trading/desk",
            ["Office:Rpc:CallTimeout"] = "00:00:20",
            ["Office:Rpc:Retry:Attempts"] = "4",
        });
        builder.Services.AddIpcRabbitMqServer("desk").AddService<IDesk, Desk>(DeskRpc.Service).Options.BindConfiguration("Desk");
        builder.Services.AddIpcRabbitMqClient<IDesk>("office", DeskRpc.Client).Options.BindConfiguration("Office");
        using IHost host = await Started(builder);
        IpcRabbitMqServerOptions desk = host.Services.GetRequiredService<IOptionsMonitor<IpcRabbitMqServerOptions>>().Get("desk");
        Assert.Equal(("me", "se/cr@et", TimeSpan.FromSeconds(3)), (desk.User, desk.Password, desk.DrainTimeout));
        Assert.Equal((7, true, RabbitMqQueueKind.Classic, 5), (desk.Rpc.Prefetch, desk.Rpc.WaitForBroker, desk.Rpc.QueueKind, desk.Rpc.Handlers!.MaxThreads));
        RabbitMqClientOptions office = host.Services.GetRequiredService<IOptionsMonitor<IpcRabbitMqClientOptions>>().Get("office").Rpc;
        Assert.Equal((TimeSpan.FromSeconds(20), 4), (office.CallTimeout, office.Retry!.Attempts));
        Assert.Contains("virtual host \"trading\", user \"me\"", Assert.Single(Logged.Of(23)).Text, StringComparison.Ordinal);
        Assert.DoesNotContain("cr@et", Logged.Of(23)[0].Text, StringComparison.Ordinal);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task EverythingThatIsWrongIsSaidWhenTheHostStarts()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqServer("desk", static options =>
        {
            options.DrainTimeout = TimeSpan.FromSeconds(-1);
            options.Rpc.Prefetch = 0;
            options.Rpc.QueueKind = (RabbitMqQueueKind)7;
            options.Rpc.Handlers = new RpcServerOptions { MaxThreads = 1 };
        });
        Assert.Equal(
            [
                "Address is not set; it is amqp://HOST:PORT/VHOST/SERVICE.",
                "DrainTimeout is -00:00:01; it cannot be negative.",
                "Rpc.Prefetch is 0; it is 1 to 65535 requests.",
                "Rpc.QueueKind is 7; it is Quorum or Classic.",
                "Rpc.Handlers.MaxThreads is 1; it is 2 to 2147483647 threads: one that leads and one that can take over.",
            ],
            await RefusedAsync(builder));
        builder = Builder();
        builder.Services.AddIpcRabbitMqClient("office", static options =>
        {
            options.Address = Nowhere;
            options.Rpc = null!;
        });
        Assert.Equal(["Rpc is null."], await RefusedAsync(builder));
        builder = Builder();
        builder.Services.AddIpcRabbitMqClient("office", static options => options.Address = Nowhere).Retry(attempts: 0, firstPause: TimeSpan.FromHours(1));
        Assert.Equal(["Rpc.Retry.Attempts", "Rpc.Retry.FirstPause"], (await RefusedAsync(builder)).Select(static text => text.Split(' ')[0]));
    }

    [Theory]
    [InlineData("http://broker/desk", null, null, "it does not begin with amqp://")]
    [InlineData("broker/desk", null, null, "it does not begin with amqp://")]
    [InlineData("amqp://broker/trading/de%20sk", null, null, "is no name of a service")]
    [InlineData("amqp://broker/a/b/c", null, null, "its path has 3 parts")]
    [InlineData("amqp://broker/desk?secret=1", null, null, "it has a query")]
    [InlineData("amqp://me:12/secret@broker/desk", null, null, "its path has an @")]
    [InlineData("amqp://me:12/secret@broker/desk", "me", "secret", "its path has an @")]
    [InlineData("amqp://me:secret@broker/desk", "me", "secret", "User is set, and Address has a user")]
    [InlineData("amqp://me:secret@broker/desk", null, "secret", "Password is set, and Address has a password")]
    [InlineData("amqp://broker/desk", null, "secret", "Password is set without User")]
    [InlineData("amqp://broker/desk", "me", null, "User is set without Password")]
    public async Task AnAddressThatMeansNothingIsRefusedWithoutItsPassword(string address, string? user, string? password, string why)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqServer("desk", options => (options.Address, options.User, options.Password) = (address, user, password));
        string text = Assert.Single(await RefusedAsync(builder));
        Assert.Contains(why, text, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Parameter", text, StringComparison.Ordinal);
        builder = Builder();
        builder.Services.AddIpcRabbitMqClient("office", options => (options.Address, options.User, options.Password) = (address, user, password));
        Assert.Equal([text], await RefusedAsync(builder));
    }

    /// <summary>What Ipc.Rpc.RabbitMq refuses is refused when the host starts, and nothing else.</summary>
    [Theory]
    [InlineData("ConnectTimeout", "00:00:00", "00:00:00.0000001")]
    [InlineData("ConnectTimeout", "01:00:00.0000001", "01:00:00")]
    [InlineData("Heartbeat", "00:00:00.9999999", "00:00:01")]
    [InlineData("Heartbeat", "01:00:00.0000001", "01:00:00")]
    [InlineData("FirstPause", "00:00:00", "00:00:00.0000001")]
    [InlineData("FirstPause", "00:00:05.0000001", "00:00:05")]
    [InlineData("LongestPause", "1.00:00:00.0000001", "1.00:00:00")]
    [InlineData("MaxMessageBytes", "0", "1")]
    [InlineData("MaxMessageBytes", "536870913", "536870912")]
    [InlineData("CallTimeout", "-00:00:00.0020000", "-00:00:00.0010000")]
    [InlineData("CallTimeout", "-00:00:01", "00:00:00")]
    [InlineData("MaxPendingCalls", "0", "1")]
    [InlineData("StreamWindow", "0", "1")]
    [InlineData("StreamWindow", "65536", "65535")]
    [InlineData("StreamLease", "00:00:00.9999999", "00:00:01")]
    [InlineData("StreamLease", "01:00:00.0000001", "01:00:00")]
    public async Task TheClientsBoundsAreThoseOfTheLibrary(string option, string wrong, string right)
    {
        Assert.ThrowsAny<ArgumentException>(() => RabbitMqClient.Create(Nowhere, With<RabbitMqClientOptions>(option, wrong)));
        RabbitMqClient.Create(Nowhere, With<RabbitMqClientOptions>(option, right)).Dispose();
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqClient("office", options => (options.Address, options.Rpc) = (Nowhere, With<RabbitMqClientOptions>(option, wrong)));
        Assert.Contains(option + " is " + wrong, Assert.Single(await RefusedAsync(builder)).Replace("and LongestPause", "LongestPause is", StringComparison.Ordinal), StringComparison.Ordinal);
        builder = Builder();
        builder.Services.AddIpcRabbitMqClient("office", options => (options.Address, options.Rpc) = (Nowhere, With<RabbitMqClientOptions>(option, right)));
        using IHost host = await Started(builder);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Theory]
    [InlineData("Heartbeat", "00:00:00.9999999", "00:00:01")]
    [InlineData("MaxMessageBytes", "0", "1")]
    [InlineData("Prefetch", "0", "1")]
    [InlineData("Prefetch", "65536", "65535")]
    [InlineData("StreamWindow", "0", "1")]
    [InlineData("StreamWindow", "65536", "65535")]
    [InlineData("MaxStreams", "-1", "0")]
    [InlineData("QueueKind", "2", "1")]
    [InlineData("MaxDeliveries", "0", "1")]
    [InlineData("MaxDeliveries", "21", "20")]
    public async Task TheServersBoundsAreThoseOfTheLibrary(string option, string wrong, string right)
    {
        await Assert.ThrowsAnyAsync<ArgumentException>(() => RabbitMqServer.StartAsync(Nowhere, With<RabbitMqServerOptions>(option, wrong)).WaitAsync(Watchdog));
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcRabbitMqServer("desk", options => (options.Address, options.Rpc) = (Nowhere, With<RabbitMqServerOptions>(option, wrong)));
        Assert.StartsWith("Rpc." + option + " is " + wrong + ";", Assert.Single(await RefusedAsync(builder)), StringComparison.Ordinal);
        builder = Builder();
        builder.Services.AddIpcRabbitMqServer("desk", options => (options.Address, options.Rpc) = (Nowhere, With<RabbitMqServerOptions>(option, right))).WaitForBroker();
        using IHost host = await Started(builder);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    private static async Task<IEnumerable<string>> RefusedAsync(HostApplicationBuilder builder) =>
        (await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder))).Failures;

    private static T With<T>(string option, string value)
        where T : new()
    {
        T options = new();
        PropertyInfo property = typeof(T).GetProperty(option)!;
        property.SetValue(options, TypeDescriptor.GetConverter(property.PropertyType).ConvertFromInvariantString(value));
        return options;
    }
}
