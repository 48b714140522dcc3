using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Asynchronous calls of a client that has no connection: whoever makes one goes on, and each of them ends or is served.</summary>
public sealed class EarlyCallTests
{
    public static readonly TheoryData<string> Shapes = ["unary", "batch", "progress", "one-way", "stream", "client stream", "duplex"];

    /// <summary>The server is there and does not answer, as one that is stopped: were a call to wait for it, the test would not end.</summary>
    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task AnAsynchronousCallNeverWaitsForAConnection(string shape)
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        List<Task> calls = await Eventually.Ends(Task.Run(() => Start(client, shape, 50), TestContext.Current.CancellationToken));
        Assert.All(calls, static call => Assert.False(call.IsCompleted));
        Assert.False(client.IsConnected);
        client.Dispose();
        foreach (Task call in calls)
            Assert.Contains("disposed", (await Unavailable(call)).Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await client.CallAsync(Hand.Ask, 1));
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task TheConnectionThatComesServesThemInOrder(string shape)
    {
        const int Calls = 300;
        using var server = new RawServer();
        using RpcClient client = Open(server);
        List<Task> calls = Start(client, shape, Calls);
        Task after = Task.Run(() => client.Call(Hand.Other, Calls), TestContext.Current.CancellationToken); // waits for the same connection
        server.Accept();
        var requests = new List<FrameHeader>();
        while (requests.Count < Calls)
        {
            FrameHeader header = server.Receive(out byte[] body);
            if (header.Kind == FrameKind.Request && header.Method != Hand.Other.Id)
            {
                Assert.Equal(requests.Count, Hand.Value(body));
                requests.Add(header);
            }
            else if (header.Kind == FrameKind.Request)
            {
                server.Send(new FrameHeader(FrameKind.Response, header.Call), Hand.Bytes(1));
            }
        }

        foreach (FrameHeader header in requests.Where(static header => !header.IsOneWay))
            server.Send(new FrameHeader(shape is "stream" or "duplex" ? FrameKind.End : FrameKind.Response, header.Call), shape is "stream" or "duplex" ? [] : Hand.Bytes(1));
        foreach (Task call in calls)
            await Eventually.Ends(call);
        while (!after.IsCompleted)
        {
            if (server.HasFrame && server.Receive() is { Kind: FrameKind.Request } header)
                server.Send(new FrameHeader(FrameKind.Response, header.Call), Hand.Bytes(1));
        }

        await Eventually.Ends(after);
    }

    [Theory]
    [InlineData("unary", "deadline")]
    [InlineData("unary", "token")]
    [InlineData("unary", "connect timeout")]
    [InlineData("unary", "death")]
    [InlineData("one-way", "deadline")]
    [InlineData("one-way", "token")]
    [InlineData("one-way", "connect timeout")]
    [InlineData("one-way", "death")]
    [InlineData("progress", "deadline")]
    [InlineData("stream", "token")]
    [InlineData("stream", "connect timeout")]
    [InlineData("stream", "death")]
    [InlineData("client stream", "deadline")]
    [InlineData("client stream", "token")]
    [InlineData("duplex", "token")]
    [InlineData("duplex", "death")]
    public async Task WhatWaitsForAConnectionEnds(string shape, string by)
    {
        using var server = new RawServer();
        using RpcClient client = Open(server, new RpcClientOptions { ConnectTimeout = by == "connect timeout" ? TimeSpan.FromMilliseconds(50) : Timeout.InfiniteTimeSpan });
        using var cancel = new CancellationTokenSource();
        if (by == "deadline")
            await AreLate(client, shape, cancel.Token);
        else
            await End();

        Assert.Equal(0, Registrations.Count(cancel));
        if (by == "death")
            return;

        // The server that answers at last hears of nothing of this.
        Task<int> next = Answered(client);
        Eventually.True(() => server.TryAccept() && server.HasFrame, "the client connects again");
        FrameHeader request = server.Receive(out byte[] body);
        Assert.Equal(12345, Hand.Value(body));
        server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(6));
        Assert.Equal(6, await Eventually.Ends(next));

        async Task End()
        {
            List<Task> calls = Start(client, shape, 50, cancel.Token);
            if (by == "token")
                await cancel.CancelAsync();
            else if (by == "death")
                server.Dispose();
            foreach (Task call in calls)
            {
                if (by == "token")
                    Assert.Equal(cancel.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call))).CancellationToken);
                else
                    await Unavailable(call);
            }
        }
    }

    /// <summary>A call that was cancelled has no more to do with the connection, whose making it is not the only one to wait for.</summary>
    [Fact]
    public async Task OneThatIsCancelledIsNotSentAndTheOthersAre()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        using var cancel = new CancellationTokenSource();
        List<Task> calls = Enumerable.Range(0, 10).Select(number => QueuedCallTests.Start(client, number % 2 == 0 ? "unary" : "stream", number, number % 3 == 0 ? cancel.Token : default)).ToList();
        IAsyncEnumerator<int> left = client.Stream(Hand.Items, 77, CancellationToken.None).GetAsyncEnumerator(CancellationToken.None);
        Task<bool> item = left.MoveNextAsync().AsTask();
        await left.DisposeAsync();
        await cancel.CancelAsync();
        server.Accept();
        foreach (int number in Enumerable.Range(0, 10).Where(static number => number % 3 != 0))
        {
            FrameHeader header = server.Receive(out byte[] body);
            Assert.Equal((FrameKind.Request, number), (header.Kind, Hand.Value(body)));
            server.Send(new FrameHeader(number % 2 == 0 ? FrameKind.Response : FrameKind.End, header.Call), number % 2 == 0 ? Hand.Bytes(1) : []);
            await Eventually.Ends(calls[number]);
        }

        foreach (int number in Enumerable.Range(0, 10).Where(static number => number % 3 == 0))
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(calls[number]));
        Assert.Equal(RpcStatus.Cancelled, (await Eventually.Fails(item)).Status);
    }

    /// <summary>Without a server they learn it from who looks, and who asks after that has it looked again.</summary>
    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task WithoutAServerEachEndsAndTheNextOneLooksAgain(string shape)
    {
        using RpcServer gone = Hand.Serve(out string name, Handlers());
        using RpcClient client = RpcClient.Create(name, new RpcClientOptions { ConnectTimeout = Timeout.InfiniteTimeSpan });
        for (int life = 0; life < 5; life++)
        {
            gone.Dispose();
            foreach (Task call in await Eventually.Ends(Task.Run(() => Start(client, shape, 50), TestContext.Current.CancellationToken)))
                await Unavailable(call);
            using RpcServer server = RpcServer.Start(name, Hand.Service(Handlers()));
            foreach (Task call in Start(client, shape, 50))
                await Eventually.Ends(call);
            Eventually.True(() => server.ConnectionCount == 1, "there is one connection"); // a one-way call ends before the server has counted its client
        }
    }

    /// <summary>Threads that call while a server comes and goes: a call fails only if its server was not there, or went.</summary>
    [Fact]
    public async Task ACallThatIsMadeWhenTheServerIsThereIsServedWhateverOthersFound()
    {
        using RpcServer gone = Hand.Serve(out string name, Handlers());
        gone.Dispose();
        using RpcClient client = RpcClient.Create(name);
        bool over = false;
        Task others = Task.Run(async () =>
        {
            while (!Volatile.Read(ref over))
            {
                try
                {
                    await client.CallAsync(Hand.Ask, 1);
                }
                catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable)
                {
                    // There is none at this moment.
                }
            }
        }, TestContext.Current.CancellationToken);
        for (int life = 0; life < 50; life++)
        {
            using RpcServer server = RpcServer.Start(name, Hand.Service(Handlers()));
            Assert.Equal(life, await Eventually.Ends(client.CallAsync(Hand.Ask, life).AsTask()));
        }

        Volatile.Write(ref over, true);
        await Eventually.Ends(others);
    }

    /// <summary>The thread that connects may have connected for others before, and the connections may have ended: it failed with the last one's end, and nobody had looked for its server.</summary>
    [Fact]
    public async Task ACallThatHasALiveServerIsServedHoweverManyConnectionsHaveEnded()
    {
        using RpcServer gone = Hand.Serve(out string name, Handlers());
        gone.Dispose();
        using RpcClient client = RpcClient.Create(name);
        using var made = new SemaphoreSlim(0);
        using var goOn = new SemaphoreSlim(0);
        client.Session.Attempted = () =>
        {
            made.Release();
            goOn.Wait(Eventually.Watchdog);
        };
        for (int life = 0; life < 8; life++)
        {
            using RpcServer server = RpcServer.Start(name, Hand.Service(Handlers()));
            Task<int> call = client.CallAsync(Hand.Ask, life).AsTask();
            if (life != 0)
                goOn.Release(); // the same thread goes on
            Assert.Equal(life, await Eventually.Ends(call));
            await Eventually.Ends(made.WaitAsync(TestContext.Current.CancellationToken));
        }

        goOn.Release();
    }

    /// <summary>A server that always goes before it takes a request is not asked for ever.</summary>
    [Fact]
    public async Task ACallWhoseConnectionsAllEndAtOnceEnds()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        int attempts = 0;
        client.Session.Attempted = () => attempts++;
        client.Session.Started = static channel => channel.End(RpcFailure.OfConnection("The server went.", "Nobody knows."));
        Task call = client.CallAsync(Hand.Ask, 1).AsTask();
        while (!call.IsCompleted)
            server.TryAccept();
        RpcCallException e = await Unavailable(call);
        Assert.Equal((3, true), (attempts, e.IsUnsent));
        Assert.Equal("The server went.", e.Message);
    }

    [Theory]
    [InlineData(10_000, 65536, "MaxQueuedBytes")]
    [InlineData(0, 65536, "MaxQueuedBytes")]
    [InlineData(1 << 20, 100, "MaxPendingCalls")]
    public async Task SoMuchMayWaitForAConnectionAndNoMore(long bytes, int pending, string limit)
    {
        using var server = new RawServer();
        using RpcClient client = Open(server, new RpcClientOptions { MaxQueuedBytes = bytes, MaxPendingCalls = pending, ConnectTimeout = Timeout.InfiniteTimeSpan });
        var calls = new List<Task>();
        RpcCallException e = QueuedCallTests.StartUntilRefused(client, "unary", calls);
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        Assert.Contains(limit, e.Message, StringComparison.Ordinal);
        Assert.InRange(calls.Count, bytes == 0 ? 1 : 100, bytes == 0 ? 1 : 1000);
        client.Dispose();
        foreach (Task call in calls)
            await Unavailable(call);
    }

    /// <summary>What is longer than a ring, and than what may wait, is a request as any other.</summary>
    [Fact]
    public async Task AMessageOfAnyLengthMayBeTheFirst()
    {
        using var server = new TestServer();
        var big = new Message { Text = new string('x', 3_000_000) };
        using RpcClient client = RpcClient.Create(server.Name, new RpcClientOptions { ToServerCapacity = 4096, MaxQueuedBytes = 1000 });
        Assert.Equal(big.Text, (await TestServiceRpc.Client(client).EchoAsync(big)).Text);
        using RpcClient narrow = RpcClient.Create(server.Name, new RpcClientOptions { ToServerCapacity = 4096, LoanBudget = 0 });
        RpcCallException e = await Eventually.Fails(TestServiceRpc.Client(narrow).EchoAsync(big).AsTask());
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        Assert.Contains("LoanBudget", e.Message, StringComparison.Ordinal);
    }

    /// <summary>A stream of the caller's runs with what its caller had set, wherever it begins.</summary>
    [Fact]
    public async Task TheCallersStreamSeesWhatItsCallerHasSet()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        var ambient = new AsyncLocal<string> { Value = "the caller's" };
        string? seen = null;
        Task<int> sum = client.ClientStream(Hand.Sum, 1, Items(), TestContext.Current.CancellationToken).AsTask();
        ambient.Value = "another";
        server.Accept();
        FrameHeader request = server.Receive();
        Assert.Equal(FrameKind.Request, request.Kind);
        Assert.Equal(FrameKind.Item, server.Receive(out byte[] item).Kind);
        Assert.Equal(5, Hand.Value(item));
        Assert.Equal(FrameKind.End, server.Receive().Kind);
        server.Send(new FrameHeader(FrameKind.Response, request.Call), Hand.Bytes(5));
        Assert.Equal(5, await Eventually.Ends(sum));
        Assert.Equal("the caller's", seen);

        async IAsyncEnumerable<int> Items()
        {
            seen = ambient.Value;
            await Task.Yield();
            yield return 5;
        }
    }

    /// <summary>Disposal ends the wait of a thread, too.</summary>
    [Fact]
    public async Task ASynchronousCallThatWaitsForAConnectionEndsWithItsClient()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        Task waits = Task.Run(() => client.Call(Hand.Ask, 1), TestContext.Current.CancellationToken);
        Eventually.True(() => server.HasRequest, "the client asks for a connection");
        client.Dispose();
        await Unavailable(waits);
    }

    [Fact]
    public async Task EachDeadlineIsKeptWhileThereIsNoConnection()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        Task patient = client.CallAsync(Hand.Ask, 0).AsTask(); // when the deadlines of all who wait have passed, who comes is refused
        foreach (Task call in new[] { 20, 60, 100 }.Select(ms => client.WithTimeout(TimeSpan.FromMilliseconds(ms)).CallAsync(Hand.Ask, ms).AsTask()).ToArray())
            Assert.Equal(RpcStatus.DeadlineExceeded, (await Eventually.Fails(call)).Status);
        Assert.False(patient.IsCompleted);
        client.Dispose();
        await Unavailable(patient);
    }

    /// <summary>It is sent with its connection, and its deadline is one of those that the connection's timer looks at.</summary>
    [Fact]
    public async Task TheDeadlineOfOneThatWaitedForItsConnectionIsKept()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        Task call = client.WithTimeout(TimeSpan.FromSeconds(2)).CallAsync(Hand.Ask, 1).AsTask();
        server.Accept();
        Assert.Equal(FrameKind.Request, server.Receive().Kind); // and is not answered
        Assert.Equal(RpcStatus.DeadlineExceeded, (await Eventually.Fails(call)).Status);
    }

    [Fact]
    public async Task WhatHasLeftMakesRoomForOthers()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server, new RpcClientOptions { MaxQueuedBytes = 10_000, ConnectTimeout = Timeout.InfiniteTimeSpan });
        var calls = new List<Task> { client.CallAsync(Hand.Ask, 0).AsTask() }; // the first may always wait
        for (int round = 0; round < 3; round++)
        {
            using var cancel = new CancellationTokenSource();
            var many = new List<Task>();
            QueuedCallTests.StartUntilRefused(client, "unary", many, cancel.Token);
            Assert.InRange(many.Count, 100, 1000);
            await cancel.CancelAsync();
            foreach (Task call in many)
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
        }

        client.Dispose();
        await Unavailable(calls[0]);
    }

    /// <summary>The request is withdrawn: a server that comes to itself would accept a client that wants nothing.</summary>
    [Fact]
    public async Task NobodyConnectsForWhoHasBeenCancelled()
    {
        using var server = new RawServer();
        using RpcClient client = Open(server);
        using var cancel = new CancellationTokenSource();
        Task call = client.CallAsync(Hand.Ask, 1, cancel.Token).AsTask();
        Eventually.True(() => server.HasRequest, "the client asks for a connection");
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
        Eventually.True(() => !server.HasRequest, "the client asks for none any more");
    }

    /// <summary>Who comes when the deadlines of all who waited have passed is refused: on a busy machine the last ones, until all have more time.</summary>
    private static async Task AreLate(RpcClient client, string shape, CancellationToken cancel)
    {
        for (int ms = 50; ;)
        {
            RpcClient hurried = client.WithTimeout(TimeSpan.FromMilliseconds(ms));
            RpcStatus[] ended = await Task.WhenAll(Enumerable.Range(0, 50).Select(async number =>
                (await Assert.ThrowsAsync<RpcCallException>(() => Eventually.Ends(QueuedCallTests.Start(hurried, shape, number, cancel)))).Status));
            if (ended.All(static status => status == RpcStatus.DeadlineExceeded))
                return;
            Assert.All(ended, static status => Assert.True(status is RpcStatus.DeadlineExceeded or RpcStatus.Unavailable, "ended with " + status));
            if (ended.Contains(RpcStatus.DeadlineExceeded)) // else nobody is asked at the moment
                ms *= 2;
            await Task.Delay(5, CancellationToken.None);
        }
    }

    private static async Task<RpcCallException> Unavailable(Task call)
    {
        RpcCallException e = await Eventually.Fails(call);
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        return e;
    }

    /// <summary>Calls until the server is asked: for some moments it may be in disgrace.</summary>
    private static async Task<int> Answered(RpcClient client)
    {
        while (true)
        {
            try
            {
                return await client.CallAsync(Hand.Ask, 12345);
            }
            catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable)
            {
                await Task.Delay(5);
            }
        }
    }

    private static RpcHandler[] Handlers() =>
    [
        RpcHandler.Unary(Hand.Ask, static number => number),
        RpcHandler.UnaryProgress(Hand.Work, static (number, _, _) => new ValueTask<int>(number)),
        RpcHandler.OneWay(Hand.Tell, static (int _) => { }),
        RpcHandler.ServerStream(Hand.Items, static (_, _) => (IAsyncEnumerable<int>)new Source(1)),
        RpcHandler.ClientStream(Hand.Sum, static (number, _, _) => new ValueTask<int>(number)),
        RpcHandler.Duplex(Hand.Scale, static (_, _, _) => (IAsyncEnumerable<int>)new Source(1)),
    ];

    private static RpcClient Open(RawServer server, RpcClientOptions? options = null)
        => RpcClient.Create(server.Name, options ?? new RpcClientOptions { ConnectTimeout = Timeout.InfiniteTimeSpan });

    private static List<Task> Start(RpcClient client, string shape, int count, CancellationToken cancel = default)
    {
        using RpcBatch? batch = shape == "batch" ? client.Batch() : null;
        return Enumerable.Range(0, count).Select(number => QueuedCallTests.Start(client, shape, number, cancel)).ToList();
    }
}
