using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Code of the user's that throws, where the client runs it: the process goes on, and so do others' calls; its own call ends.</summary>
public sealed class ContainedTests
{
    [Fact]
    public void AThrowingSubscriberEndsNeitherTheProcessNorTheOthersTurn()
    {
        string name = TestServer.NewName();
        using RpcClient client = RpcClient.Create(name);
        var told = new ConcurrentQueue<RpcConnectionChangeKind>();
        client.ConnectionChanged += static (_, _) => throw new Nasty();
        client.ConnectionChanged += (_, change) => told.Enqueue(change.Kind);
        client.ConnectionChanged += static (_, _) => throw new InvalidOperationException("a subscriber's");
        for (int life = 1; life < 4; life++)
        {
            using (RpcServer.Start(name, Hand.Service(RpcHandler.Unary(Hand.Ask, static (number, _) => number))))
                Assert.Equal(life, client.Call(Hand.Ask, life));
            Eventually.True(() => told.Count == 2 * life, "both changes are told");
        }
    }

    [Theory]
    [InlineData("request")]
    [InlineData("response")]
    [InlineData("progress")]
    [InlineData("report")]
    [InlineData("item")]
    [InlineData("sent item")]
    [InlineData("source")]
    [InlineData("answer")]
    [InlineData("interceptor")]
    [InlineData("token")]
    public async Task WhatThrowsFailsItsCallAndNothingElse(string place)
    {
        using RpcServer server = Serve(out string name);
        var options = new RpcClientOptions();
        if (place == "interceptor")
            options.Interceptors.Add(static inner => new Throwing(inner));
        using RpcClient client = RpcClient.Connect(name, options);
        using RpcClient other = RpcClient.Connect(name);
        for (int i = 0; i < 20; i++)
        {
            await Fails(client, place, asynchronous: i % 2 == 0);
            Assert.Equal(i, client.WithTimeout(Eventually.Watchdog) is { } view && place != "interceptor" ? view.Call(Hand.Ask, i) : other.Call(Hand.Ask, i));
        }

        Eventually.True(() => SettledTests.PendingCalls(client) == 0, "no call is left behind");
        Assert.True(client.IsConnected);
    }

    /// <summary>It looks like the end of an attempt after which another is made, and the call has been answered: it was executed.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task WhatAReceiverOfMetadataThrowsMakesNoCallAgain(bool isOnce, bool asynchronous)
    {
        int executed = 0;
        var method = new RpcMethod<int, int>(Hand.Name, "Again", RpcMethodKind.Unary, Hand.Number, Hand.Number, isIdempotent: !isOnce, isOnce: isOnce);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(method, (number, _) => number + Interlocked.Increment(ref executed)));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { WaitForReady = true, Retry = new RpcRetryPolicy() });
        foreach (bool isUnsent in new[] { false, true })
        {
            executed = 0;
            var own = new RpcCallException(RpcStatus.Unavailable, "of the receiver") { IsUnsent = isUnsent };
            RpcClient view = client.WithAnswer(_ => throw own).WithTimeout(Eventually.Watchdog);
            RpcCallException failure = await Eventually.Fails(asynchronous ? view.CallAsync(method, 1).AsTask() : Task.Run(() => view.Call(method, 1)));
            Assert.Same(own, failure);
            Assert.Equal((1, isUnsent), (executed, own.IsUnsent));
        }
    }

    /// <summary>A getter may call another server, which is not there: that says nothing of this one.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task WhatAGetterThrowsMakesNoCallAgain(bool isOnce, bool asynchronous)
    {
        int written = 0;
        var own = new RpcCallException(RpcStatus.Unavailable, "of another server") { IsUnsent = true };
        var codec = new MessageCodec<int>(
            "Getter",
            (ref ProtoWriter _, in int _) =>
            {
                written++;
                throw own;
            },
            static (ref ProtoReader reader) => Hand.Number.Read(ref reader));
        var method = new RpcMethod<int, int>(Hand.Name, "Again", RpcMethodKind.Unary, codec, Hand.Number, isIdempotent: !isOnce, isOnce: isOnce);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(method, static (number, _) => number));
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { WaitForReady = true, Retry = new RpcRetryPolicy() });
        Assert.Same(own, await Eventually.Fails(asynchronous ? client.CallAsync(method, 1).AsTask() : Task.Run(() => client.Call(method, 1))));
        Assert.Equal((1, true), (written, own.IsUnsent));
    }

    /// <summary>Whether its server comes after that or not: no stream begins that nobody would end.</summary>
    [Fact]
    public async Task AStreamThatWaitsForItsServerEndsWithItsDisposal()
    {
        string name = TestServer.NewName();
        using RpcClient client = RpcClient.Create(name, new RpcClientOptions { WaitForReady = true });
        IAsyncEnumerator<int> items = client.Stream(Hand.Items, 3).GetAsyncEnumerator();
        Task<bool> first = items.MoveNextAsync().AsTask();
        await Task.Delay(20);
        Assert.False(first.IsCompleted);
        await items.DisposeAsync();
        Assert.Equal(RpcStatus.Cancelled, (await Eventually.Fails(first)).Status);
        await items.DisposeAsync();
        IAsyncEnumerator<int> other = client.Stream(Hand.Items, 3).GetAsyncEnumerator();
        await other.DisposeAsync();
        int begun = 0;
        using RpcServer server = RpcServer.Start(name, Hand.Service(RpcHandler.ServerStream(Hand.Items, (number, cancel) =>
        {
            begun++;
            return new Source(number);
        })));
        Assert.False(await Eventually.Ends(other.MoveNextAsync().AsTask()));
        int count = 0;
        await foreach (int item in client.Stream(Hand.Items, 3))
            count++;
        Assert.Equal((3, 1), (count, begun));
    }

    private static async Task Fails(RpcClient client, string place, bool asynchronous)
    {
        switch (place)
        {
            case "request":
                RpcCallException unwritten = await Assert.ThrowsAsync<RpcCallException>(async () => _ = asynchronous ? await client.CallAsync(BadRequest, 1) : client.Call(BadRequest, 1));
                Assert.Equal(RpcStatus.InvalidArgument, unwritten.Status);
                Assert.IsType<Nasty>(unwritten.InnerException);
                break;
            case "response":
                RpcCallException unread = await Assert.ThrowsAsync<RpcCallException>(async () => _ = asynchronous ? await client.CallAsync(BadResponse, 1) : client.Call(BadResponse, 1));
                Assert.Equal(RpcStatus.Internal, unread.Status);
                Assert.IsType<Nasty>(unread.InnerException);
                break;
            case "progress":
                RpcCallException report = await Eventually.Fails(client.CallAsync(BadProgress, 1, new Reports(static _ => { })).AsTask());
                Assert.Equal(RpcStatus.Internal, report.Status);
                break;
            case "report":
                await FailsNastily(() => Eventually.Ends(client.CallAsync(Hand.Work, 1, new Reports(static _ => throw new Nasty())).AsTask()));
                break;
            case "item":
                RpcCallException item = await Eventually.Fails(Task.Run(async () =>
                {
                    await foreach (int number in client.Stream(BadItems, 3))
                        Assert.Fail("an item that cannot be read came: " + number);
                }));
                Assert.Equal(RpcStatus.Internal, item.Status);
                break;
            case "sent item":
                Assert.Equal(RpcStatus.InvalidArgument, (await Eventually.Fails(client.ClientStream(BadSum, 1, new Source(3)).AsTask())).Status);
                break;
            case "source":
                await FailsNastily(() => Eventually.Ends(client.ClientStream(Hand.Sum, 1, new Source(3, static (_, _) => throw new Nasty())).AsTask()));
                break;
            case "answer":
                await FailsNastily(async () => _ = asynchronous
                    ? await client.WithAnswer(static _ => throw new Nasty()).CallAsync(Hand.Ask, 1)
                    : client.WithAnswer(static _ => throw new Nasty()).Call(Hand.Ask, 1));
                break;
            case "interceptor":
                await FailsNastily(async () => _ = asynchronous ? await client.CallAsync(Hand.Ask, 1) : client.Call(Hand.Ask, 1));
                break;
            default:
                using (var cancellationToken = new CancellationTokenSource())
                {
                    using CancellationTokenRegistration registration = cancellationToken.Token.Register(static () => throw new Nasty());
                    ValueTask<int> call = client.CallAsync(Hand.Other, 1, cancellationToken.Token);
                    try
                    {
                        cancellationToken.Cancel();
                        Assert.Fail("the token's own callback throws");
                    }
                    catch (AggregateException)
                    {
                    }

                    await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call.AsTask()));
                }

                break;
        }
    }

    /// <summary>xunit's own looks at the message.</summary>
    private static async Task FailsNastily(Func<Task> call)
    {
        bool threw = false;
        try
        {
            await call();
        }
        catch (Nasty)
        {
            threw = true;
        }

        Assert.True(threw);
    }

    private static readonly MessageCodec<int> Unwritable = new(
        "Unwritable", static (ref ProtoWriter _, in int _) => throw new Nasty(), static (ref ProtoReader reader) => Hand.Number.Read(ref reader));

    private static readonly MessageCodec<int> Unreadable = new(
        "Unreadable", static (ref ProtoWriter writer, in int value) => Hand.Number.Write(ref writer, in value), static (ref ProtoReader _) => throw new Nasty());

    private static readonly RpcMethod<int, int> BadRequest = new(Hand.Name, "Ask", RpcMethodKind.Unary, Unwritable, Hand.Number);
    private static readonly RpcMethod<int, int> BadResponse = new(Hand.Name, "Ask", RpcMethodKind.Unary, Hand.Number, Unreadable);
    private static readonly RpcMethod<int, int> BadItems = new(Hand.Name, "Items", RpcMethodKind.ServerStream, Hand.Number, Unreadable);
    private static readonly RpcProgressMethod<int, int, int> BadProgress = new(Hand.Name, "Work", Hand.Number, Hand.Number, Unreadable);
    private static readonly RpcStreamMethod<int, int, int> BadSum = new(Hand.Name, "Sum", RpcMethodKind.ClientStream, Hand.Number, Unwritable, Hand.Number);

    private static RpcServer Serve(out string name) => Hand.Serve(
        out name,
        RpcHandler.Unary(Hand.Ask, static (number, _) => number),
        RpcHandler.UnaryAsync(Hand.Other, static async (number, cancellationToken) =>
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return number;
        }),
        RpcHandler.UnaryProgress(Hand.Work, static async (number, progress, cancellationToken) =>
        {
            for (int i = 0; i < 3; i++)
                progress.Report(i);
            await Task.Yield();
            return number;
        }),
        RpcHandler.ServerStream(Hand.Items, static (number, cancellationToken) => new Source(number)),
        RpcHandler.ClientStream(Hand.Sum, static async (number, items, cancellationToken) =>
        {
            await foreach (int item in items)
                number += item;
            return number;
        }));

    /// <summary>An exception that does not even say what it is.</summary>
    internal sealed class Nasty : Exception
    {
        public override string Message => throw new InvalidOperationException("not even that");

        public override string ToString() => throw new InvalidOperationException("nor that");
    }

    private sealed class Reports : IProgress<int>
    {
        private readonly Action<int> _report;

        public Reports(Action<int> report) => _report = report;

        public void Report(int value) => _report(value);
    }

    private sealed class Throwing : RpcForwardingCaller
    {
        public Throwing(RpcCaller inner)
            : base(inner)
        {
        }

        public override TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default) => throw new Nasty();

        public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
            => throw new Nasty();
    }
}
