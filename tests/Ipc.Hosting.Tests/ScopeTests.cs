using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Ipc.Hosting.Tests;

/// <summary>Each call of a scoped service has a scope of its own, from its beginning to its end.</summary>
public sealed class ScopeTests : HostTest
{
    [Theory]
    [InlineData(ServiceLifetime.Scoped)]
    [InlineData(ServiceLifetime.Transient)]
    public async Task EachCallHasAScopeOfItsOwn(ServiceLifetime lifetime)
    {
        using IHost host = await Serving(lifetime);
        Books books = host.Services.GetRequiredService<Books>();
        IBank bank = host.Services.GetRequiredService<IBank>();
        Assert.Equal((1, 2), (bank.Deposit(1), bank.Deposit(2))); // nothing is left of the first
        Assert.Equal(3, await bank.DepositAsync(3).WaitAsync(Watchdog));
        Assert.Equal(3, books.Made.Count);
        await Eventually(() => books.Closed.Count == 3);
        Assert.Equal(books.Made.ToHashSet(), books.Closed.ToHashSet());
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AStreamsScopeLastsAsLongAsTheStream()
    {
        using IHost host = await Serving(ServiceLifetime.Scoped);
        Books books = host.Services.GetRequiredService<Books>();
        var seen = new List<int>();
        await foreach (int tick in host.Services.GetRequiredService<IBank>().Ticks(100))
            seen.Add(tick);
        Assert.Equal(Enumerable.Range(0, 100), seen);
        await Eventually(() => books.Closed.Count == 1);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AHandlerThatThrowsHasItsScopeDisposedToo()
    {
        using IHost host = await Serving(ServiceLifetime.Scoped);
        Books books = host.Services.GetRequiredService<Books>();
        Assert.Throws<RpcCallException>(() => host.Services.GetRequiredService<IBank>().Deposit(-1));
        await Eventually(() => books.Closed.Count == 1);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AnObjectThatCannotBeMadeFailsItsCall()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddIpcServer("bank").AddService<IBank, Bank>(ServiceLifetime.Scoped); // without books and ledger
        builder.Services.AddIpcClient<IBank>("bank");
        using IHost host = await Started(builder);
        Assert.Equal(RpcStatus.Unknown, Assert.Throws<RpcCallException>(() => host.Services.GetRequiredService<IBank>().Deposit(1)).Status);
        await Eventually(() => Logged.Of(11).Length == 1);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AStoppingHostWaitsForScopesThatAreStillBeingDisposed()
    {
        using IHost host = await Serving(ServiceLifetime.Scoped);
        Books books = host.Services.GetRequiredService<Books>();
        books.ClosesSlowly = true;
        Assert.Equal(1, host.Services.GetRequiredService<IBank>().Deposit(1)); // the answer does not wait for it
        Task stopping = host.StopAsync();
        await Eventually(() => Logged.Of(3).Length == 1);
        Assert.False(stopping.IsCompleted, "stopped before the scope was disposed");
        books.MayClose.SetResult();
        await stopping.WaitAsync(Watchdog);
        Assert.Single(books.Closed);
    }

    [Fact]
    public async Task ASingletonIsOneObject()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton<Books>().AddSingleton<Ledger>();
        builder.Services.AddIpcServer("bank").AddService<IBank, Bank>();
        builder.Services.AddIpcClient<IBank>("bank");
        using IHost host = await Started(builder);
        IBank bank = host.Services.GetRequiredService<IBank>();
        Assert.Equal((1, 3), (bank.Deposit(1), bank.Deposit(2)));
        await host.StopAsync().WaitAsync(Watchdog);
    }

    private async Task<IHost> Serving(ServiceLifetime lifetime)
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton<Books>().AddScoped<Ledger>();
        builder.Services.AddIpcServer("bank").AddService<IBank, Bank>(lifetime);
        builder.Services.AddIpcClient<IBank>("bank");
        return await Started(builder);
    }
}
