using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Shapes.Calls;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>A C# client's streams in every shape, against servers of both languages: to their end, ended early by either side, failed in the middle, cancelled,
/// and slow.</summary>
public sealed class StreamShapeTests
{
    public static TheoryData<Language> Servers => Calls.Servers;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task StreamsOfTheCallerArriveWhole(Language language)
    {
        using var pair = new Pair(language);
        foreach (int count in new[] { 0, 1, 31, 32, 33, 1000, 3000 })
            Assert.Equal($"{count} {count * 20}", Text(await pair.Tests.CollectAsync(new CountRequest(), Items(count, 20)).InTime()));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task StreamsBothWaysComeBackWhole(Language language)
    {
        using var pair = new Pair(language);
        foreach (int count in new[] { 0, 1, 33, 3000 })
            Assert.Equal(count, await CountRight(pair.Tests.Mirror(new CountRequest(), Items(count, 30)), 30).InTime());
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task AServerEndsACallersStreamEarly(Language language)
    {
        using var pair = new Pair(language);
        Assert.Equal("3 15", Text(await pair.Tests.CollectAsync(new CountRequest { Count = 3 }, Items(int.MaxValue, 5)).InTime()));
        Assert.Equal(3, await CountRight(pair.Tests.Mirror(new CountRequest { Count = 3 }, Items(int.MaxValue, 5)), 5).InTime());
        pair.MustLive();
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task AServerFailsACallersStreamInTheMiddle(Language language)
    {
        using var pair = new Pair(language);
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(
            () => pair.Tests.CollectAsync(new CountRequest(), Then(Blob("good"), Blob("thirteen char"), Blob("more"))).InTime());
        Assert.Equal(RpcStatus.OutOfRange, failure.Status);
        Assert.Contains("unlucky", failure.Message, StringComparison.Ordinal);

        int items = 0;
        failure = await Assert.ThrowsAsync<RpcCallException>(async () =>
        {
            await foreach (Blob item in pair.Tests.Mirror(new CountRequest(), Then(Blob("good"), Blob("thirteen char"))))
                items++;
        });
        Assert.Equal(RpcStatus.OutOfRange, failure.Status);
        Assert.Equal(1, items);
        pair.MustLive();
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ACallersOwnExceptionComesBackToItAndCancelsTheServer(Language language)
    {
        using var pair = new Pair(language);
        var own = new InvalidTimeZoneException("of the source");
        async IAsyncEnumerable<Blob> Failing()
        {
            yield return Blob("good");
            while (pair.Server.Tests is { Taken: 0 }) // one that has not begun when its call ends never does
                await Task.Delay(1, TestContext.Current.CancellationToken);
            throw own;
        }

        Assert.Same(own, await Assert.ThrowsAnyAsync<InvalidTimeZoneException>(() => pair.Tests.CollectAsync(new CountRequest(), Failing()).InTime()));
        if (pair.Server.Tests is { } tests)
            await tests.StreamCancelled.Task.InTime();
        pair.MustLive();
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ACallerCancelsEveryShapeOfStream(Language language)
    {
        using var pair = new Pair(language);
        using var cancel = new CancellationTokenSource();
        var endless = new TaskCompletionSource();
        async IAsyncEnumerable<Blob> Waiting()
        {
            yield return Blob("first");
            await endless.Task;
        }

        Task<Blob> collecting = pair.Tests.CollectAsync(new CountRequest(), Waiting(), cancel.Token);
        IAsyncEnumerator<Blob> mirrored = pair.Tests.Mirror(new CountRequest(), Waiting(), cancel.Token).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await mirrored.MoveNextAsync().AsTask().InTime());
        Task<bool> mirroring = mirrored.MoveNextAsync().AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => collecting.InTime());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => mirroring.InTime());
        if (pair.Server.Tests is { } tests)
            await tests.StreamCancelled.Task.InTime();
        endless.SetResult();
        await mirrored.DisposeAsync();
        pair.MustLive();
    }

    /// <summary>A stream whose reader is slow stops its producer; others on the connection go on.</summary>
    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ASlowReaderStopsItsProducerAndNobodyElse(Language language)
    {
        const int window = 16;
        using var pair = new Pair(language, new RpcClientOptions { StreamWindow = window });
        await using IAsyncEnumerator<Blob> slow = pair.Tests.Count(new CountRequest { Count = int.MaxValue, Size = 10 }).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await slow.MoveNextAsync().AsTask().InTime());
        Assert.Equal(2000, await CountRight(pair.Tests.Count(new CountRequest { Count = 0 }), 0).InTime() + await CountRight(pair.Tests.Mirror(new CountRequest(), Items(2000, 10)), 10).InTime());
        for (int i = 0; i < 500; i++)
            Assert.Equal(Pattern.Of(i, 50), (await pair.Tests.EchoAsync(new Blob { Data = Pattern.Of(i, 50) }).InTime()).Data);
        if (pair.Server.Tests is { } tests)
            Assert.InRange(tests.Produced, 1, window + 1); // one is in the producer's hand
        for (int i = 1; i < 500; i++)
        {
            Assert.True(await slow.MoveNextAsync().AsTask().InTime());
            Assert.Equal(Pattern.Of(i, 10), slow.Current.Data);
        }
    }

    /// <summary>Who sends items to a handler that has stopped taking them waits, and nobody else does.</summary>
    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ASlowHandlerStopsItsCallerAndNobodyElse(Language language)
    {
        const int window = 16;
        using var pair = new Pair(language, new RpcClientOptions { StreamWindow = window });
        int sent = 0;
        await using IAsyncEnumerator<Blob> slow = pair.Tests.Mirror(new CountRequest(), Items(int.MaxValue, 10, number => Volatile.Write(ref sent, number)))
            .GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await slow.MoveNextAsync().AsTask().InTime());
        for (int i = 0; i < 500; i++)
            Assert.Equal(Pattern.Of(i, 50), (await pair.Tests.EchoAsync(new Blob { Data = Pattern.Of(i, 50) }).InTime()).Data);
        Assert.Equal("2000 20000", Text(await pair.Tests.CollectAsync(new CountRequest(), Items(2000, 10)).InTime()));

        // The answers that nobody takes, what the handler holds, and the server's largest window for a caller.
        Assert.InRange(Volatile.Read(ref sent), 1, window + 1 + new RpcServerOptions().StreamWindow + 1);
        for (int i = 1; i < 2000; i++)
        {
            Assert.True(await slow.MoveNextAsync().AsTask().InTime());
            Assert.Equal(Pattern.Of(i, 10), slow.Current.Data);
        }
    }
}
