using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Clients that nobody disposes: the connection of one that was collected closes, and of one that can still be used it does not.</summary>
[Collection(nameof(Alone))]
public sealed class ForgottenTests
{
    [Theory]
    [InlineData("idle")]
    [InlineData("called")]
    [InlineData("awaited")]
    [InlineData("subscribed")]
    [InlineData("subscribed by who knows it")]
    [InlineData("serving")]
    [InlineData("streamed")]
    public async Task TheConnectionOfACollectedClientCloses(string life)
    {
        using var server = new TestServer();
        for (int i = 0; i < 3; i++)
            await Live(server, life);
        Assert.NotEqual(0, server.Server.ConnectionCount);
        Eventually.True(
            () =>
            {
                Collect();
                return server.Server.ConnectionCount == 0;
            },
            "the server has forgotten them");
    }

    [Fact]
    public async Task AViewKeepsItsClient()
    {
        using var server = new TestServer();
        RpcClient view = View(server);
        for (int i = 0; i < 5; i++)
            Collect();
        Assert.Equal(3, await TestServiceRpc.Client(view).AddAsync(1, 2));
        Assert.Equal(1, server.Server.ConnectionCount);
    }

    [Fact]
    public async Task ACallThatIsPendingKeepsItsClient()
    {
        using var server = new TestServer();
        Task<int> call = Wait(server);
        Eventually.True(() => server.Service.GateOf("kept").Entered == 1, "the handler runs");
        for (int i = 0; i < 5; i++)
            Collect();
        server.Service.GateOf("kept").Opened.Set();
        await Eventually.Ends(call);
    }

    [Fact]
    public async Task AStreamThatIsReadKeepsItsClient()
    {
        using var server = new TestServer();
        await using IAsyncEnumerator<int> items = Items(server);
        for (int i = 0; i < 2000; i++)
        {
            Assert.True(await items.MoveNextAsync());
            if (i % 500 == 0)
                Collect();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static RpcClient View(TestServer server) => server.Connect().WithTimeout(Eventually.Watchdog);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<int> Wait(TestServer server) => TestServiceRpc.Client(server.Connect()).WaitAsync("kept").AsTask();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IAsyncEnumerator<int> Items(TestServer server) => TestServiceRpc.Client(server.Connect()).Count(0, int.MaxValue).GetAsyncEnumerator();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task Live(TestServer server, string life)
    {
        var options = new RpcClientOptions();
        if (life == "serving")
            options.Services.Add(TestServiceRpc.Service(new TestService()));
        RpcClient client = server.Connect(options);
        ITestService service = TestServiceRpc.Client(client);
        switch (life)
        {
            case "called":
                Assert.Equal(3, service.Add(1, 2));
                break;
            case "awaited":
                await Task.WhenAll(service.AddAsync(1, 2).AsTask(), service.AddAsync(1, 2).AsTask());
                break;
            case "subscribed":
                client.ConnectionChanged += static _ => { };
                break;
            case "subscribed by who knows it":
                client.ConnectionChanged += _ => client.Dispose();
                break;
            case "streamed":
                await foreach (int item in service.Count(0, 100))
                    Assert.True(item >= 0);
                break;
        }
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Thread.Sleep(1); // what was forgotten is closed on the thread pool
    }
}
