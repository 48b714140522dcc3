using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>One-way calls, progress, metadata, details.</summary>
public sealed class CallExtrasTests
{
    [Fact]
    public void AOneWayCallArrivesAndLeavesNothingPending()
    {
        using var server = new ShapeServer(new RpcClientOptions { MaxPendingCalls = 1 });
        for (int i = 0; i < 1000; i++)
            server.Client.Notify(Shapes.Notice, 1);
        server.Client.Notify(Shapes.Notice, -1); // its handler throws, and nobody hears
        Eventually.True(() => server.Shapes.Notified == 999, "all have arrived");
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));
        Assert.Throws<ArgumentException>(() => server.Client.Call(Shapes.Notice, 1));
        Assert.Throws<ArgumentException>(() => server.Client.Notify(new RpcMethod<int, RpcEmpty>("a", "b", RpcMethodKind.Unary, Shapes.Number, RpcEmpty.Codec), 1));
    }

    [Fact]
    public async Task OneWayRequestsHaveTheFlagAndIdsOfTheirOwn()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        var ids = new HashSet<ulong>();
        for (int i = 0; i < 5; i++)
        {
            client.Notify(Shapes.Notice, 1);
            FrameHeader header = server.Receive();
            Assert.Equal(FrameFlags.OneWay, header.Flags);
            Assert.True(ids.Add(header.Call));
        }

        Task<int> call = client.CallAsync(Shapes.Fail, 1).AsTask();
        FrameHeader request = server.Receive();
        Assert.True(ids.Add(request.Call));

        // Answers to calls that have none are dropped.
        foreach (ulong id in ids)
        {
            if (id != request.Call)
                server.Send(new FrameHeader(FrameKind.Response, id), RawClient.Varint(1, 1));
        }

        server.Send(new FrameHeader(FrameKind.Response, request.Call), RawClient.Varint(1, 3));
        Assert.Equal(3, await Eventually.Ends(call));
    }

    [Fact]
    public async Task ReportsComeInOrderAndNoneAfterTheAnswer()
    {
        using var server = new ShapeServer();
        for (int round = 0; round < 50; round++)
        {
            var reports = new Reports();
            Assert.Equal(100, await Eventually.Ends(server.Client.CallAsync(Shapes.Work, 100, reports).AsTask()));
            int[] seen = reports.Seen();
            Assert.Equal(seen.OrderBy(static i => i), seen);
            Assert.Equal(seen.Distinct(), seen);
            Assert.All(seen, static i => Assert.InRange(i, 1, 100));
            Assert.Equal(seen, reports.Seen());
        }
    }

    [Fact]
    public async Task ACallerWhoseProgressIsSlowHoldsUpNobody()
    {
        using var server = new ShapeServer();
        using var gate = new ManualResetEventSlim();
        var reports = new Reports(_ => gate.Wait());
        Task<int> slow = server.Client.CallAsync(Shapes.Work, 1000, reports).AsTask();
        Eventually.True(() => reports.Seen().Length == 1, "the first report has come");
        for (int i = 0; i < 100; i++)
            ErrorTests.Lives(TestServiceRpc.Client(server.Client));
        Assert.False(slow.IsCompleted);
        gate.Set();
        Assert.Equal(1000, await Eventually.Ends(slow));
        Assert.InRange(reports.Seen().Length, 1, 1 + 64 + 1); // of those that piled up the newest
        Assert.Equal(reports.Seen().OrderBy(static i => i), reports.Seen());
    }

    [Fact]
    public async Task WhatProgressThrowsFailsTheCallAndCancelsTheHandler()
    {
        using var server = new ShapeServer();
        var reports = new Reports(static _ => throw new InvalidOperationException("not now"));
        InvalidOperationException e = await Assert.ThrowsAsync<InvalidOperationException>(() => Eventually.Ends(server.Client.CallAsync(Shapes.Work, -1, reports).AsTask()));
        Assert.Equal("not now", e.Message);
        Eventually.True(() => server.Shapes.Cancelled == 1, "the handler sees a cancellation");
        Assert.Equal(5, await server.Client.CallAsync(Shapes.Work.Unary, 5)); // nobody listens: the reports go by
    }

    /// <summary>The call has an answer, which is just being decoded: it ended with that, and what was thrown was nobody's.</summary>
    [Fact]
    public async Task WhatProgressThrowsWhileTheAnswerIsReadFailsTheCallToo()
    {
        using var thrown = new ManualResetEventSlim();
        MessageCodec<int> slow = new(
            "Slow",
            static (ref ProtoWriter writer, in int value) => Hand.Number.Write(ref writer, in value),
            (ref ProtoReader reader) =>
            {
                thrown.Wait(Eventually.Watchdog);
                Thread.Sleep(20); // who throws is through with it, as a rule
                return Hand.Number.Read(ref reader);
            });
        var method = new RpcProgressMethod<int, int, int>(Hand.Name, "Work", Hand.Number, slow, Hand.Number);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryProgress(Hand.Work, static (number, progress, _) =>
        {
            progress.Report(number);
            return new ValueTask<int>(number);
        }));
        using RpcClient client = RpcClient.Connect(name);
        var reports = new Reports(_ =>
        {
            thrown.Set();
            throw new InvalidOperationException("not now");
        });
        InvalidOperationException e = await Assert.ThrowsAsync<InvalidOperationException>(() => Eventually.Ends(client.CallAsync(method, 1, reports).AsTask()));
        Assert.Equal("not now", e.Message);
    }

    [Fact]
    public async Task MetadataTravelsBothWays()
    {
        using var server = new ShapeServer();
        RpcMetadata? answer = null;
        var metadata = new RpcMetadata { { "k", "one" }, { "other", "x" }, { "k", Encoding.UTF8.GetBytes("zwei") } };
        RpcClient view = server.Client.With(metadata).WithAnswer(came => answer = came);
        metadata.Add("k", "too late");
        Assert.Equal(2, view.Call(Shapes.Meta, 0));
        Assert.Equal(new[] { "back=one", "back=zwei" }, answer!.Select(static entry => entry.Key + "=" + Encoding.UTF8.GetString(entry.Value.Span)));

        answer = null;
        Assert.Equal(2, await Eventually.Ends(view.CallAsync(Shapes.Meta, 0).AsTask()));
        Assert.Equal("one", answer!.GetText("back"));

        answer = null;
        Assert.Equal(RpcStatus.NotFound, Assert.Throws<RpcCallException>(() => view.Call(Shapes.Meta, -1)).Status);
        Assert.Equal("one", answer!.GetText("back"));

        answer = null;
        Assert.Equal(0, server.Client.Call(Shapes.Meta, 0));
        Assert.Null(answer);
        Assert.Equal(0, server.Client.WithAnswer(came => answer = came).Call(Shapes.Meta, 0));
        Assert.Empty(answer!);
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => server.Client.With(new RpcMetadata { { "k", new byte[20_000] } })).Status);
    }

    [Fact]
    public void ALargeHeadFitsBesideALargeMessage()
    {
        using var server = new ShapeServer();
        ITestService service = TestServiceRpc.Client(server.Client.With(new RpcMetadata { { "k", new byte[16_000] } }));
        foreach (int length in new[] { 0, 10, 1000, 40_000, 200_000 })
            Assert.Equal(length, service.Echo(new Message { Text = new string('x', length) }).Text!.Length);
    }

    [Theory]
    [InlineData("ffffffff")]
    [InlineData("00")]
    [InlineData("030000000a0100")]
    public async Task AHeadThatIsNoneFailsItsCallAndNothingElse(string hex)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        Task<int> bad = client.CallAsync(Shapes.Fail, 1).AsTask();
        server.Send(new FrameHeader(FrameKind.Response, server.Receive().Call, flags: FrameFlags.Head), Convert.FromHexString(hex));
        Assert.Equal(RpcStatus.Internal, (await Eventually.Fails(bad)).Status);

        Task<int> good = client.CallAsync(Shapes.Fail, 1).AsTask();
        server.Send(new FrameHeader(FrameKind.Response, server.Receive().Call, flags: FrameFlags.Head), 0, 0, 0, 0, 8, 5);
        Assert.Equal(5, await Eventually.Ends(good));
    }

    [Fact]
    public async Task AFailureCarriesItsDetails()
    {
        using var server = new ShapeServer();
        RpcCallException sync = Assert.Throws<RpcCallException>(() => server.Client.Call(Shapes.Fail, 42));
        RpcCallException async = await Eventually.Fails(server.Client.CallAsync(Shapes.Fail, 42).AsTask());
        foreach (RpcCallException e in new[] { sync, async })
        {
            Assert.Equal(RpcStatus.Aborted, e.Status);
            RpcDetail detail = Assert.Single(e.Details);
            Assert.Equal("type.googleapis.com/shapes.v1.Number", detail.TypeUrl);
            Assert.True(detail.TryRead(Shapes.Number, out int number));
            Assert.Equal(42, number);
        }
    }

    private sealed class Reports : IProgress<int>
    {
        private readonly List<int> _seen = new();
        private readonly Action<int>? _then;

        public Reports(Action<int>? then = null) => _then = then;

        public void Report(int value)
        {
            lock (_seen)
                _seen.Add(value);
            _then?.Invoke(value);
        }

        public int[] Seen()
        {
            lock (_seen)
                return _seen.ToArray();
        }
    }
}
