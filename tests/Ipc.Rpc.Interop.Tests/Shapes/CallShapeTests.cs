using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Shapes.Calls;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>Everything about a C# client's calls that is no stream of items, against servers of both languages.</summary>
public sealed class CallShapeTests
{
    public static TheoryData<Language> Servers => Calls.Servers;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task OneWayCallsArrive(Language language)
    {
        using var pair = new Pair(language);
        for (int i = 0; i < 100; i++)
            pair.Tests.Note(Blob("note"));
        await Until(() => Text(pair.Tests.Noted(new Blob())) == "100");
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ProgressGrowsAndTheAnswerComesLast(Language language)
    {
        using var pair = new Pair(language);
        var reports = new Reports();
        Assert.Equal("50", Text(await pair.Tests.StepsAsync(new CountRequest { Count = 50 }, reports).InTime()));
        int[] values = reports.Values;
        Assert.NotEmpty(values);
        Assert.Equal(values.Order().Distinct(), values);
        Assert.InRange(values[^1], 1, 50);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public void MetadataTravelsBothWays(Language language)
    {
        using var pair = new Pair(language);
        var sent = new RpcMetadata { { "x-text", "ä" }, { "x-bytes-bin", new byte[] { 0, 255 } }, { "x-text", "again" } };
        RpcMetadata? received = null;
        TestsRpc.Client(pair.Client.With(sent).WithAnswer(answer => received = answer)).Labels(new Blob());
        Assert.Equal(sent.Select(Shown), received!.Select(Shown));

        static string Shown(KeyValuePair<string, ReadOnlyMemory<byte>> label) => label.Key + "=" + Convert.ToHexString(label.Value.Span);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public void AnErrorCarriesItsDetail(Language language)
    {
        using var pair = new Pair(language);
        RpcCallException failure = Assert.Throws<RpcCallException>(() => pair.Tests.FailWith(new FailRequest { Status = 9, Text = "in detail" }));
        Assert.Equal(RpcStatus.FailedPrecondition, failure.Status);
        RpcDetail detail = Assert.Single(failure.Details);
        Assert.Equal("tests.v1.Blob", detail.TypeName);
        Assert.True(detail.TryRead(TestsRpc.Codecs.Blob, out Blob? blob));
        Assert.Equal("in detail", Text(blob!));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task CallbacksReachTheClientAndMayCallAgain(Language language)
    {
        using var pair = new Pair(language);
        Assert.Equal("50", Text(await pair.Tests.RelayAsync(new CountRequest { Count = 50, Size = 100 }).InTime()));
        Blob[] all = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => pair.Tests.RelayAsync(new CountRequest { Count = 20, Size = 5000 }))).InTime();
        Assert.All(all, static blob => Assert.Equal("20", Text(blob)));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task AServerReadsAStreamOfItsClient(Language language)
    {
        using var pair = new Pair(language);
        Assert.Equal("1000", Text(await pair.Tests.PullAsync(new CountRequest { Count = 1000, Size = 20 }).InTime()));
        await Until(() => pair.Back.FeedsEnded == 1);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ACancelledCallCancelsTheCallbackInIt(Language language)
    {
        using var pair = new Pair(language);
        using var cancel = new CancellationTokenSource();
        Task<Blob> pulling = pair.Tests.PullAsync(new CountRequest { Count = int.MaxValue, Size = 20 }, cancel.Token);
        await Until(() => pair.Back.Fed > 100);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pulling.InTime());
        await Until(() => pair.Back.FeedsEnded == 1);
        pair.MustLive();
    }

    /// <summary>The deadline goes with the request, and from the handler with its callback, and from that with its call: each has at most what was left.</summary>
    [Theory]
    [MemberData(nameof(Servers))]
    public async Task DeadlinesShrinkThroughNestedCalls(Language language)
    {
        using var pair = new Pair(language);
        ITests hurried = TestsRpc.Client(pair.Client.WithTimeout(TimeSpan.FromSeconds(50)));
        Assert.InRange(int.Parse(Text(hurried.Remaining(new Blob())), CultureInfo.InvariantCulture), 0, 50_000);
        Assert.Equal("1", Text(await hurried.RelayAsync(new CountRequest { Count = 1 }).InTime()));
        Assert.InRange(pair.Back.LastRemaining, TimeSpan.Zero, TimeSpan.FromSeconds(50));
        Assert.Equal("1", Text(await pair.Tests.RelayAsync(new CountRequest { Count = 1 }).InTime()));
        Assert.Equal(Timeout.InfiniteTimeSpan, pair.Back.LastRemaining);
    }

    /// <summary>The server's token fires; what was sent too late meets nobody; the slot is used again at once, and the answers are the new calls' own.</summary>
    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ACancelledCallsLateAnswerMeetsNoOtherCall(Language language)
    {
        using var pair = new Pair(language);
        for (int i = 0; i < 200; i++)
        {
            using var cancel = new CancellationTokenSource();
            Task<Blob> left = i % 2 == 0 ? pair.Tests.SleepAsync(new SleepRequest { Ms = 600_000 }, cancel.Token) : pair.Tests.EchoAsync(Blob("left"), cancel.Token);
            await cancel.CancelAsync();
            byte[] data = Pattern.Of(i, 64);
            Assert.Equal(data, (await pair.Tests.EchoAsync(new Blob { Data = data }).InTime()).Data);
            await left.ContinueWith(static _ => { }, TaskScheduler.Default).InTime();
            if (i % 2 == 0)
                Assert.True(left.IsCanceled, $"call {i} ended otherwise: {left.Exception?.Message}");
            else if (!left.IsCanceled)
                Assert.Equal("left", Text(await left));
        }
        if (pair.Server.Tests is { } tests)
            await tests.SleepCancelled.Task.InTime();
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ABatchOfCallsIsAnsweredCallByCall(Language language)
    {
        using var pair = new Pair(language);
        var pending = new List<Task<Blob>>();
        using (pair.Client.Batch())
        {
            for (int i = 0; i < 500; i++)
                pending.Add(pair.Tests.EchoAsync(new Blob { Data = Pattern.Of(i, 100) }));
        }
        Blob[] answers = await Task.WhenAll(pending).InTime();
        for (int i = 0; i < answers.Length; i++)
            Assert.Equal(Pattern.Of(i, 100), answers[i].Data);
    }

    private static async Task Until(Func<bool> condition)
    {
        Deadline patience = Deadline.After(Repository.Watchdog);
        while (!condition())
        {
            Assert.False(patience.HasPassed, "it does not come to that");
            await Task.Delay(1, TestContext.Current.CancellationToken); // between two looks
        }
    }
}
