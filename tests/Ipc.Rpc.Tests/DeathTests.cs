using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A process is killed with SIGKILL: the other one hears of it at once, and goes on.</summary>
public sealed class DeathTests
{
    [Fact]
    public async Task EveryPendingCallEndsWhenTheServerIsKilled()
    {
        string name = TestServer.NewName();
        using var server = Peer.Start("serve", name);
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { StreamWindow = 4 });
        ITestService service = TestServiceRpc.Client(client);
        Assert.Equal(server.Id, client.ServerProcessId);

        await using IAsyncEnumerator<int> items = service.Count(0, int.MaxValue).GetAsyncEnumerator();
        Assert.True(await items.MoveNextAsync());
        Task<int>[] calls =
        {
            service.WaitAsync("for ever").AsTask(),
            service.WaitAsync("for ever").AsTask(),
            Task.Run(() => service.Block("for ever")),
            Task.Run(() => service.Block("for ever")),
            Task.Run(async () =>
            {
                await using IAsyncEnumerator<byte[]> blobs = service.Blobs(1, int.MaxValue, string.Empty).GetAsyncEnumerator();
                while (await blobs.MoveNextAsync())
                {
                }

                return 0;
            }),
        };
        Assert.Equal(3, service.Add(1, 2)); // a round trip later all of them have been sent but perhaps the last

        server.Kill();
        foreach (Task<int> call in calls)
        {
            RpcCallException e = await Eventually.Fails(call);
            Assert.Equal(RpcStatus.Unavailable, e.Status);
        }

        RpcCallException ended = await Eventually.Fails(Task.Run(async () =>
        {
            while (await items.MoveNextAsync())
            {
            }
        }));
        Assert.Equal(RpcStatus.Unavailable, ended.Status);
        Assert.Contains("(process " + server.Id + ") died", ended.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Spin)]
    [InlineData(WaitMode.Block)]
    public void ALoneSynchronousCallEndsWhenTheServerIsKilled(WaitMode mode)
    {
        string name = TestServer.NewName();
        using var server = Peer.Start("serve", name);
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { WaitMode = mode });
        ErrorTests.Lives(TestServiceRpc.Client(client));
        var killer = new Thread(server.Kill);
        killer.Start();
        RpcCallException e = Assert.Throws<RpcCallException>(() => TestServiceRpc.Client(client).Block("for ever"));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        killer.Join();
    }

    [Fact]
    public async Task AfterARestartTheNextCallSucceeds()
    {
        string name = TestServer.NewName();
        using RpcClient client = Started(name, out OtherProcess server);
        ITestService service = TestServiceRpc.Client(client);
        for (int round = 0; round < 3; round++)
        {
            ErrorTests.Lives(service);
            server.Kill();
            server.Dispose();
            for (int i = 0; i < 3; i++)
            {
                Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => service.Add(1, 1)).Status);
                Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(Task.Run(() => service.AddAsync(1, 1).AsTask()))).Status);
            }

            server = Peer.Start("serve", name);
            ErrorTests.Lives(service);
            Assert.Equal(server.Id, client.ServerProcessId);
        }

        server.Dispose();
    }

    /// <summary>Nobody reads while there is no call: whoever asks for a connection notices that the server has gone.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task WhoAsksForAConnectionIsNotLeftWithTheOneBefore(bool isAsynchronous, bool hasRest)
    {
        string name = TestServer.NewName();
        using RpcClient client = Started(name, out OtherProcess server);
        ErrorTests.Lives(TestServiceRpc.Client(client));
        if (hasRest)
        {
            Assert.Throws<RpcCallException>(() => TestServiceRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(50))).Block("for ever"));
            await Task.Delay(200, TestContext.Current.CancellationToken); // its late answer lies there, and nobody reads it
        }

        server.Kill();
        server.Dispose();
        using OtherProcess next = Peer.Start("serve", name);
        Deadline watchdog = Deadline.After(Watchdog.Patience);
        while (client.ServerProcessId != next.Id)
        {
            Assert.False(watchdog.HasPassed, "it is left with the server that was killed");
            if (isAsynchronous)
                await client.EnsureConnectedAsync(Watchdog.Patience, TestContext.Current.CancellationToken);
            else
                client.EnsureConnected(Watchdog.Patience, TestContext.Current.CancellationToken);
        }

        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public void WithoutReconnectTheFirstReasonStays()
    {
        string name = TestServer.NewName();
        using var server = Peer.Start("serve", name);
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { AutoReconnect = false });
        ITestService service = TestServiceRpc.Client(client);
        ErrorTests.Lives(service);
        server.Kill();
        Eventually.True(() => Assert.Throws<RpcCallException>(() => service.Add(1, 1)).Message.Contains("died", StringComparison.Ordinal), "death is the reason");
        using var again = Peer.Start("serve", name);
        RpcCallException e = Assert.Throws<RpcCallException>(() => service.Add(1, 1));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        Assert.Contains("died", e.Message, StringComparison.Ordinal);
        Assert.False(client.IsConnected);
    }

    [Fact]
    public void HandlersAndStreamsOfAKilledClientAreCancelled()
    {
        using var server = new TestServer();
        using RpcClient other = server.Connect();
        using var client = Peer.Start("hold", server.Name, "held");
        Gate gate = server.Service.GateOf("held");
        Eventually.True(() => gate.Entered == 1 && server.Service.Produced > 0, "call and stream are under way");
        client.Kill();
        Eventually.True(() => gate.Cancelled == 1, "the handler's token fires");
        Eventually.True(() => server.Service.StreamsEnded == 1, "the producer ends");
        Eventually.True(() => server.Server.ConnectionCount == 1, "the connection is freed");
        ErrorTests.Lives(TestServiceRpc.Client(other));
    }

    [Fact]
    public void ClientsThatAreKilledWhileTheyCallLeaveNothing()
    {
        using var server = new TestServer();
        using RpcClient other = server.Connect();
        for (int i = 0; i < 5; i++)
        {
            using var client = Peer.Start("call", server.Name, "100000000");
            client.Kill();
        }

        Eventually.True(() => server.Server.ConnectionCount == 1, "the connections are freed");
        ErrorTests.Lives(TestServiceRpc.Client(other));
    }

    [Fact]
    public async Task AStoppedServerMakesCallsWaitForTheirDeadlinesAndNothingIsLost()
    {
        string name = TestServer.NewName();
        using var server = Peer.Start("serve", name);
        using RpcClient client = RpcClient.Connect(name);
        ITestService patient = TestServiceRpc.Client(client);
        ITestService hurried = TestServiceRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(50)));
        ErrorTests.Lives(patient);
        Task<int>[] waiting;
        using (server.Stop())
        {
            Assert.Equal(RpcStatus.DeadlineExceeded, Assert.Throws<RpcCallException>(() => hurried.Add(1, 1)).Status);
            Assert.Equal(RpcStatus.DeadlineExceeded, (await Eventually.Fails(hurried.AddAsync(1, 1).AsTask())).Status);
            waiting = new[] { patient.AddAsync(1, 2).AsTask(), Task.Run(() => patient.Add(3, 4)) };
        }

        Assert.Equal(new[] { 3, 7 }, await Eventually.Ends(Task.WhenAll(waiting)));
        ErrorTests.Lives(patient);
    }

    [Fact]
    public async Task DisposingDoesNotWaitForAStoppedServer()
    {
        string name = TestServer.NewName();
        using var server = Peer.Start("serve", name);
        RpcClient client = RpcClient.Connect(name);
        ErrorTests.Lives(TestServiceRpc.Client(client));
        using (server.Stop())
        {
            Task<int> pending = TestServiceRpc.Client(client).AddAsync(1, 2).AsTask();
            Task<int> blocked = Task.Run(() => TestServiceRpc.Client(client).Add(1, 2));
            await Eventually.Ends(Task.Run(client.Dispose));
            Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(pending)).Status);
            Exception? e = await Xunit.Record.ExceptionAsync(() => Eventually.Ends(blocked));
            Assert.True(e is RpcCallException { Status: RpcStatus.Unavailable } or ObjectDisposedException, "ended with " + e);
            Assert.Throws<RpcCallException>(() => RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(50) }));
        }

        using RpcClient again = RpcClient.Connect(name);
        ErrorTests.Lives(TestServiceRpc.Client(again));
    }

    [Fact]
    public void AnotherProcessCallsAndGetsTheRightAnswers()
    {
        using var server = new TestServer();
        using var client = Peer.Start("call", server.Name, "20000");
        Assert.Equal(0, client.WaitForExit());
    }

    private static RpcClient Started(string name, out OtherProcess server)
    {
        server = Peer.Start("serve", name);
        return RpcClient.Connect(name);
    }
}
