using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Snippets;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>The transport that docs/guide/transports.md shows for copying, where the page's own code does not come.</summary>
public sealed class MemoryTransportTests
{
    private static readonly TimeSpan _watchdog = TimeSpan.FromSeconds(30);

    private readonly MemoryQueue _queue = new();
    private readonly Store _store = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>As in a program with windows: continuations come to a thread that waits for the call. It waited for ever, beyond any deadline.</summary>
    [Fact]
    public async Task CallsEndOnAThreadToWhichNoContinuationCanCome()
    {
        Task<string> calls = Task.Factory.StartNew(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(new Occupied());
                MemoryServer server = new(_queue, StoreRpc.Service(_store));
                IStore store = Client();
                Item pear = store.Get("pear");
                Totals totals = store.ImportAsync(Items(), Token).GetAwaiter().GetResult();
                int left = store.Till(Orders(), Token).ToBlockingEnumerable(Token).Last().Left;
                int changes = store.Changes("pear", Token).ToBlockingEnumerable(Token).Take(100).Count();
                server.DisposeAsync().AsTask().GetAwaiter().GetResult();
                return $"{pear.Count} {totals.Pieces} {left} {changes}";
            },
            Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        Assert.Equal("3 5050 7 100", await calls.WaitAsync(_watchdog, Token));
    }

    /// <summary>Nobody caught what was neither of a handler nor of a cancellation: such calls had no answer.</summary>
    [Fact]
    public async Task WhatFailsInTheTransportIsAnsweredAndDoesNotHinderTheEnd()
    {
        Message nameless = new("other", null!, null!, RpcMethodKind.Unary, []);
        Message broken = MessageOf(StoreRpc.Changes, "pear");
        broken.ToClient.Writer.Complete(); // as the client does whose own stream has thrown, while its handler writes
        await using (MemoryServer server = new(_queue, StoreRpc.Service(_store)))
        {
            _queue.Send(nameless);
            _queue.Send(broken);
            Assert.Equal(RpcStatus.Internal, (await nameless.Reply.Task.WaitAsync(_watchdog, Token)).Status);
            Assert.Equal(RpcStatus.Internal, (await broken.Reply.Task.WaitAsync(_watchdog, Token)).Status);
        }
    }

    /// <summary>Nobody caught it: the caller waited for ever.</summary>
    [Fact]
    public async Task ACallIsAnsweredWhoseListenerThrows()
    {
        using Activity caller = new Activity("caller").Start();
        ActivityTraceId ours = caller.TraceId;
        using ActivityListener listener = new()
        {
            ShouldListenTo = static source => source.Name == "Snippets.Memory",
            Sample = (ref ActivityCreationOptions<ActivityContext> options) =>
                options.TraceId == ours ? throw new InvalidOperationException("thrown on purpose") : ActivitySamplingResult.None,
        };
        ActivitySource.AddActivityListener(listener);
        await using MemoryServer server = new(_queue, StoreRpc.Service(_store));
        IStore store = Client();
        RpcCallException e = await Assert.ThrowsAsync<RpcCallException>(() => store.OrderAsync(new Order("apple", 1), Token).WaitAsync(_watchdog, Token));
        Assert.Equal(RpcStatus.Internal, e.Status);
        Assert.Contains("thrown on purpose", e.Message, StringComparison.Ordinal);
    }

    /// <summary>Timers of .NET fire some milliseconds early now and then.</summary>
    [Fact]
    public async Task NoCallEndsBeforeItsDeadline()
    {
        int early = 0;
        for (int round = 0; round < 60; round++)
            await Task.WhenAll(Enumerable.Range(round * 10, 10).Select(CallAsync)).WaitAsync(_watchdog, Token);
        Assert.Equal(0, early);

        async Task CallAsync(int number)
        {
            TimeSpan limit = TimeSpan.FromTicks(20_000 + (number * 7_919 % 60_000));
            Deadline until = Deadline.After(limit); // the call's is later
            IStore store = StoreRpc.Client(new MemoryCaller(_queue, timeout: limit)); // there is no server
            RpcCallException e = await Assert.ThrowsAsync<RpcCallException>(() => store.OrderAsync(new Order("apple", 1), Token));
            Interlocked.Add(ref early, until.HasPassed && e.Status == RpcStatus.DeadlineExceeded ? 0 : 1);
        }
    }

    /// <summary>Two handlers took each a part of what the client sent, and their items came in one stream.</summary>
    [Fact]
    public async Task AStreamThatIsDeliveredTwiceIsBegunOnce()
    {
        _queue.DeliversTwice = true;
        await using MemoryServer server = new(_queue, StoreRpc.Service(_store));
        IStore store = Client();

        List<int> changes = [];
        await foreach (Change change in store.Changes("pear", Token))
        {
            changes.Add(change.By);
            if (changes.Count == 500)
                break;
        }

        Assert.Equal(Enumerable.Range(1, 500), changes);
        Totals totals = await store.ImportAsync(Items(), Token).WaitAsync(_watchdog, Token);
        Assert.Equal((100, 5050), (totals.Items, totals.Pieces));
        List<int> left = [];
        await foreach (Receipt receipt in store.Till(Orders(), Token))
            left.Add(receipt.Left);
        Assert.Equal([9, 7], left);
    }

    /// <summary>Only a server that had the request in hand heard of it: one that took it later handled it to its end, for nobody.</summary>
    [Fact]
    public async Task ACallThatIsCancelledWhileItWaitsIsNotHandled()
    {
        Endless endless = new();
        IStore store = Client();
        using CancellationTokenSource enough = new();
        Task givenBack, waits;
        await using (MemoryServer first = new(_queue, StoreRpc.Service(endless)))
        {
            givenBack = store.OrderAsync(new Order("apple", 1), enough.Token);
            await UntilAsync(() => endless.Running == 1);
        }

        waits = store.OrderAsync(new Order("apple", 1), enough.Token);
        await enough.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => givenBack);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits);
        await using (MemoryServer next = new(_queue, StoreRpc.Service(endless)))
            Assert.Equal(3, (await Task.Run(() => store.Get("pear"), Token).WaitAsync(_watchdog, Token)).Count); // it came behind them

        Assert.Equal(1, endless.Begun);
    }

    /// <summary>One that came while the server was just taking the request was lost. There is no deadline that could end the handlers.</summary>
    [Fact]
    public async Task ACancellationReachesTheHandlerHoweverEarlyItComes()
    {
        Endless endless = new();
        IStore store = Client();
        await using MemoryServer server = new(_queue, StoreRpc.Service(endless));
        for (int i = 0; i < 300; i++)
        {
            using CancellationTokenSource enough = new();
            Task call = store.OrderAsync(new Order("apple", 1), enough.Token);
            if (i % 3 == 0)
                await UntilAsync(() => endless.Running == 1);
            await enough.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
            store.Get("pear"); // it has been taken by now
            await UntilAsync(() => endless.Running == 0);
        }
    }

    /// <summary>It took on while there was something, and gave it back, and took that: it stopped never.</summary>
    [Fact]
    public async Task AServerStopsWhileManyRequestsWait()
    {
        List<Message> messages = [.. Enumerable.Range(0, 2000).Select(_ => MessageOf(StoreRpc.Get, "pear"))];
        messages.ForEach(_queue.Send);
        MemoryServer first = new(_queue, StoreRpc.Service(_store));
        await messages[0].Reply.Task.WaitAsync(_watchdog, Token);
        await first.DisposeAsync().AsTask().WaitAsync(_watchdog, Token);

        await using MemoryServer next = new(_queue, StoreRpc.Service(_store));
        Answer[] answers = await Task.WhenAll(messages.Select(static message => message.Reply.Task)).WaitAsync(_watchdog, Token);
        Assert.All(answers, static answer => Assert.Equal(RpcStatus.Ok, answer.Status));
    }

    /// <summary>As those of the library's own transports (docs/telemetry.md). All were of the kind Consumer, and none had failed.</summary>
    [Fact]
    public async Task SpansSayWhetherAnAnswerIsExpectedAndWhetherTheCallFailed()
    {
        ConcurrentBag<Activity> spans = [];
        using ActivityListener listener = new()
        {
            ShouldListenTo = static source => source.Name == "Snippets.Memory",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = spans.Add,
        };
        ActivitySource.AddActivityListener(listener);
        using Activity caller = new Activity("caller").Start();
        caller.TraceStateString = "vendor=7";
        await using (MemoryServer server = new(_queue, StoreRpc.Service(_store)))
        {
            IStore store = Client();
            store.Get("pear");
            Assert.Throws<RpcCallException>(() => store.Get("plum"));
            store.Note("one way");
            await UntilAsync(() => spans.Count(span => span.TraceId == caller.TraceId) == 3); // a span ends behind its answer
        }

        Activity[] ours = [.. spans.Where(span => span.TraceId == caller.TraceId)];
        Assert.All(ours, static span => Assert.Equal("vendor=7", span.TraceStateString));
        Assert.Equal(
            ["store.v1/Get Server Error NotFound There is no plum.", "store.v1/Get Server Unset  ", "store.v1/Note Consumer Unset  "],
            ours.Select(static span => $"{span.OperationName} {span.Kind} {span.Status} {span.GetTagItem("error.type")} {span.StatusDescription}").Order(StringComparer.Ordinal));
    }

    private static Message MessageOf<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, TRequest request)
        => new("id", method.Service, method.Name, method.Kind, Payload.Encode(method, method.Request, in request));

    private static async IAsyncEnumerable<Item> Items()
    {
        for (int i = 1; i <= 100; i++)
        {
            yield return new Item("kind " + i, i);
            await Task.Delay(1).ConfigureAwait(false);
        }
    }

    private static async IAsyncEnumerable<Order> Orders()
    {
        yield return new Order("apple", 1);
        await Task.Delay(1).ConfigureAwait(false);
        yield return new Order("apple", 2);
    }

    private static async Task UntilAsync(Func<bool> isSo)
    {
        long since = Stopwatch.GetTimestamp();
        while (!isSo())
        {
            Assert.True(Stopwatch.GetElapsedTime(since) < _watchdog);
            await Task.Delay(1, Token);
        }
    }

    private IStore Client() => StoreRpc.Client(new MemoryCaller(_queue));

    /// <summary>What is posted to it waits for its thread, which is in a call.</summary>
    private sealed class Occupied : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
            // it would come after the call
        }
    }

    /// <summary>Orders take for ever, unless they are cancelled.</summary>
    private sealed class Endless : Store, IStore
    {
        private int _begun, _ended;

        public int Begun => Volatile.Read(ref _begun);

        public int Running => Begun - Volatile.Read(ref _ended);

        async Task<Receipt> IStore.OrderAsync(Order order, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _begun);
            try
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
                throw new InvalidOperationException();
            }
            finally
            {
                Interlocked.Increment(ref _ended);
            }
        }
    }
}
