using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a handler knows of its call, what it can say beside its answer, and what becomes of what it throws.</summary>
public sealed class HandlerTests
{
    [Fact]
    public void ContextAndMetadataReachASynchronousHandlerAndItsCaller()
    {
        RpcContext? seen = null;
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, (number, cancel) =>
        {
            RpcContext context = RpcContext.Current!;
            seen = context;
            Assert.Same(context, RpcContext.Current);
            Assert.Equal(cancel, context.Cancellation);
            context.ResponseMetadata.Add("echo", context.RequestMetadata.GetText("who") + "!");
            return number;
        }));
        using var client = new RawClient(name);
        ulong deadline = Deadline.After(Eventually.Watchdog).Nanoseconds;
        client.Send(Hand.Request(Hand.Ask, 1, flags: FrameFlags.Head, deadline: deadline), WithHead(("who", "me"), Hand.Bytes(5)));
        Answer(client, FrameKind.Response, out ReadOnlySpan<byte> message, out RpcMetadata metadata);
        Assert.Equal(5, Hand.Number.Decode(message));
        Assert.Equal("me!", metadata.GetText("echo"));
        Assert.Same(Hand.Ask, seen!.Method);
        Assert.Equal(Deadline.FromNanoseconds(deadline), seen.Deadline);
        Assert.Equal(Environment.ProcessId, seen.Peer.ProcessId);
        Assert.Null(RpcContext.Current);
    }

    [Fact]
    public void ContextFlowsWithAnAsynchronousHandlerAndAStream()
    {
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Ask, static async (number, _) =>
            {
                await Task.Yield();
                RpcContext.Current!.ResponseMetadata.Add("from", RpcContext.Current.RequestMetadata.GetText("who")!);
                await Task.Yield();
                return await Task.Run(static () => (int)Math.Ceiling(RpcDeadline.Current.Remaining.TotalSeconds));
            }),
            RpcHandler.ServerStream(Hand.Items, static (_, _) => Stream()));
        using var client = new RawClient(name);
        client.Send(
            Hand.Request(Hand.Ask, 1, flags: FrameFlags.Head, deadline: Deadline.After(TimeSpan.FromSeconds(1000)).Nanoseconds), WithHead(("who", "me"), Hand.Bytes(5)));
        Answer(client, FrameKind.Response, out ReadOnlySpan<byte> message, out RpcMetadata metadata);
        Assert.Equal("me", metadata.GetText("from"));
        Assert.InRange(Hand.Number.Decode(message), 900, 1000);

        client.Send(Hand.Request(Hand.Items, 2, credit: 5, flags: FrameFlags.Head), WithHead(("who", "you"), Hand.Bytes(5)));
        Assert.Equal(FrameKind.Item, client.Receive().Kind);
        Answer(client, FrameKind.End, out _, out metadata);
        Assert.Equal("you", metadata.GetText("from"));

        static async IAsyncEnumerable<int> Stream()
        {
            await Task.Yield();
            RpcContext.Current!.ResponseMetadata.Add("from", RpcContext.Current.RequestMetadata.GetText("who")!);
            yield return 1;
        }
    }

    [Theory]
    [InlineData(new byte[] { 1, 0, 0 })]
    [InlineData(new byte[] { 200, 0, 0, 0, 1 })]
    [InlineData(new byte[] { 0xff, 0xff, 0xff, 0xff, 1 })]
    [InlineData(new byte[] { 2, 0, 0, 0, 0xff, 0xff, 8, 1 })]
    [InlineData(new byte[] { 3, 0, 0, 0, (1 << 3) | 2, 1, 9, 8, 1 })]
    public void AHeadThatIsNoneEndsItsCallOnly(byte[] body)
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static (number, _) => number));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Ask, 1, flags: FrameFlags.Head), body);
        FrameHeader error = client.Receive();
        Assert.Equal(FrameKind.Error, error.Kind);
        Assert.Equal((ushort)RpcStatus.InvalidArgument, error.Code);
        client.Send(Hand.Request(Hand.Ask, 2), Hand.Bytes(3));
        Assert.Equal(FrameKind.Response, client.Receive().Kind);
    }

    [Fact]
    public void MetadataThatIsTooLongIsTheHandlersFailure()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static (number, _) =>
        {
            RpcContext.Current!.ResponseMetadata.Add("long", new byte[20_000]);
            return number == 0 ? number : throw new RpcCallException(RpcStatus.NotFound, "gone");
        }));
        using RpcClient client = RpcClient.Connect(name);
        Assert.Equal(RpcStatus.Internal, Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 0)).Status);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1));
        Assert.Equal(RpcStatus.NotFound, e.Status);
        Assert.Contains("metadata was left out", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void DetailsOfAFailureArriveWithMetadataBesideThem()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static (number, _) =>
        {
            RpcContext.Current!.ResponseMetadata.Add("why", "so");
            throw new RpcCallException(RpcStatus.OutOfRange, "too much", new[] { RpcDetail.Of(Hand.Number, number), new RpcDetail("x/y.Z", new byte[] { 1 }) });
        }));
        using RpcClient client = RpcClient.Connect(name);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 41));
        Assert.Equal(RpcStatus.OutOfRange, e.Status);
        Assert.Equal(2, e.Details.Count);
        Assert.True(e.Details[0].TryRead(Hand.Number, out int number));
        Assert.Equal(41, number);
        Assert.Equal("y.Z", e.Details[1].TypeName);

        using var raw = new RawClient(name);
        raw.Send(Hand.Request(Hand.Ask, 1), Hand.Bytes(1));
        Answer(raw, FrameKind.Error, out _, out RpcMetadata metadata);
        Assert.Equal("so", metadata.GetText("why"));
    }

    public static TheoryData<string> PlacesToThrow => new() { "call", "first", "middle", "after", "dispose", "middle and dispose", "null" };

    [Theory]
    [MemberData(nameof(PlacesToThrow))]
    public void AStreamMayFailAnywhere(string place)
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ServerStream(Hand.Items, (_, _) => place switch
        {
            "call" => throw new InvalidOperationException("call"),
            "null" => null!,
            _ => new Thrower(place),
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Items, 1, credit: 10), Hand.Bytes(1));
        int items = 0;
        FrameHeader end;
        byte[] body;
        while ((end = client.Receive(out body)).Kind == FrameKind.Item)
            items++;
        Assert.Equal(FrameKind.Error, end.Kind);
        Assert.Equal((ushort)RpcStatus.Unknown, end.Code);
        ErrorBody error = ErrorBody.Decode(body);
        if (place != "null")
            Assert.Equal(place.Split(' ')[0], error.Text);
        Assert.Equal(place switch { "call" or "first" or "null" => 0, "middle" or "middle and dispose" => 1, _ => 2 }, items);
        client.Send(new FrameHeader(FrameKind.Ping, 1));
        Assert.Equal(FrameKind.Pong, client.Receive().Kind); // that was the only end
    }

    [Theory]
    [InlineData("begin")]
    [InlineData("middle")]
    [InlineData("after")]
    public void AHandlerOfAStreamMayFailAnywhere(string place)
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ClientStream(Hand.Sum, (_, items, _) => place == "begin" ? throw new FormatException(place) : Consume(items)));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(1));
        for (int i = 0; i < 3; i++)
            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i));
        client.Send(new FrameHeader(FrameKind.End, 1));
        FrameHeader end = IncomingStreamTests.NextBut(client, FrameKind.Credit, out byte[] body);
        Assert.Equal(FrameKind.Error, end.Kind);
        Assert.Equal("System.FormatException", ErrorBody.Decode(body).Type);
        Assert.Equal(place, ErrorBody.Decode(body).Text);

        async ValueTask<int> Consume(IAsyncEnumerable<int> items)
        {
            await foreach (int item in items)
            {
                if (place == "middle" && item == 1)
                    throw new FormatException(place);
            }

            throw new FormatException(place);
        }
    }

    [Fact]
    public void ProgressComesInOrderAndBeforeTheAnswer()
    {
        IProgress<int>? kept = null;
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryProgress(Hand.Work, async (number, progress, _) =>
        {
            kept = progress;
            for (int i = 1; i <= number; i++)
            {
                progress.Report(i);
                await Task.Yield();
            }

            return -1;
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Work, 1), Hand.Bytes(20));
        for (int i = 1; i <= 20; i++)
        {
            Assert.Equal(FrameKind.Progress, client.Receive(out byte[] report).Kind);
            Assert.Equal(i, Hand.Value(report));
        }

        Assert.Equal(FrameKind.Response, client.Receive(out byte[] body).Kind);
        Assert.Equal(-1, Hand.Value(body));
        kept!.Report(99); // after the answer: nothing
        client.Send(new FrameHeader(FrameKind.Ping, 1));
        Assert.Equal(FrameKind.Pong, client.Receive().Kind);
    }

    [Fact]
    public async Task WithoutRoomTheNewestProgressReplacesTheOthers()
    {
        var reported = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var go = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryProgress(Hand.Work, async (number, progress, _) =>
        {
            for (int i = 1; i <= number; i++)
                progress.Report(i);
            reported.SetResult(true);
            await go.Task;
            return -1;
        }));
        using var client = new RawClient(name, toClientCapacity: 4096); // a hundred reports at most
        client.Send(Hand.Request(Hand.Work, 1), Hand.Bytes(5000));
        await Eventually.Ends(reported.Task);
        int last = 0;
        int count = 0;
        while (last != 5000)
        {
            Assert.Equal(FrameKind.Progress, client.Receive(out byte[] report).Kind);
            Assert.InRange(Hand.Value(report), last + 1, 5000);
            last = Hand.Value(report);
            count++;
        }

        Assert.InRange(count, 2, 200);
        go.SetResult(true);
        Assert.Equal(FrameKind.Response, client.Receive().Kind);
    }

    [Fact]
    public void WhatAOneWayHandlerThrowsIsCounted()
    {
        int handled = 0;
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.OneWay(Hand.Tell, (number, _) =>
            {
                Interlocked.Increment(ref handled);
                if (number < 0)
                    throw new ArgumentException("negative");
            }),
            RpcHandler.Unary(Hand.Ask, static (number, _) => number));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Tell, 1), Hand.Bytes(1));
        client.Send(Hand.Request(Hand.Tell, 2), Hand.Bytes(-1));
        client.Send(Hand.Request(Hand.Tell, 3), 0xff);
        client.Send(new FrameHeader(FrameKind.Request, 4, method: 12345, flags: FrameFlags.OneWay));
        client.Send(Hand.Request(Hand.Ask, 5), Hand.Bytes(1));
        Assert.Equal(5UL, client.Receive().Call); // nothing was sent for the others
        Eventually.True(() => Volatile.Read(ref handled) == 2 && server.FailedOneWayCalls == 3, "the first two were handled, and all that failed were counted");
    }

    [Fact]
    public void InterceptorsSeeEveryCallAndChooseWhatItsCallerIsTold()
    {
        var log = new List<string>();
        var options = new RpcServerOptions();
        options.Interceptors.Add(new Recorder("outer", log));
        options.Interceptors.Add(new Recorder("inner", log) { Refused = 3, Translates = true });
        using RpcServer server = Hand.Serve(
            out string name, options, RpcHandler.Unary(Hand.Ask, static (number, _) => number != 2 ? number : throw new TimeoutException("of the disk")));
        using RpcClient client = RpcClient.Connect(name);
        Assert.Equal(1, client.Call(Hand.Ask, 1));
        Assert.Equal(new[] { "outer starts", "inner starts", "inner Ok", "outer Ok" }, Taken(log));
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 2));
        Assert.Equal(RpcStatus.Aborted, e.Status);
        Assert.Equal("mapped: of the disk", e.Message);
        Assert.Equal(new[] { "outer starts", "inner starts", "inner Aborted TimeoutException", "outer Aborted TimeoutException" }, Taken(log));
        e = Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 3));
        Assert.Equal(RpcStatus.PermissionDenied, e.Status);
        Assert.Equal(new[] { "outer starts", "inner PermissionDenied RpcCallException", "outer PermissionDenied RpcCallException" }, Taken(log));
    }

    [Fact]
    public void ACallThatHasItsAnswerIsNotPendingWhateverIsStillToBeDoneAboutIt()
    {
        using var held = new ManualResetEventSlim();
        var options = new RpcServerOptions { MaxPendingCalls = 1 };
        options.Interceptors.Add(new Lingering(held));
        using RpcServer server = Hand.Serve(out string name, options, RpcHandler.UnaryAsync(Hand.Ask, static async (number, _) =>
        {
            await Task.Yield();
            return number;
        }));
        using var client = new RawClient(name);
        try
        {
            for (int i = 0; i < 2; i++) // even its id may be used again
            {
                client.Send(Hand.Request(Hand.Ask, 7), Hand.Bytes(i));
                Assert.Equal(FrameKind.Response, client.Receive(out byte[] body).Kind);
                Assert.Equal(i, Hand.Value(body));
            }
        }
        finally
        {
            held.Set();
        }
    }

    private static List<string> Taken(List<string> log)
    {
        // The last entry of a call may come a moment after its answer.
        Eventually.True(() => { lock (log) return log.Count >= 3 && log[^1].StartsWith("outer", StringComparison.Ordinal) && !log[^1].EndsWith("starts", StringComparison.Ordinal); }, "the call is over");
        lock (log)
        {
            List<string> taken = log.ToList();
            log.Clear();
            return taken;
        }
    }

    private static byte[] WithHead((string Key, string Text) entry, byte[] message)
    {
        var metadata = new RpcMetadata();
        metadata.Add(entry.Key, entry.Text);
        return new CallHead { Metadata = metadata }.Encode().Concat(message).ToArray();
    }

    private static void Answer(RawClient client, FrameKind kind, out ReadOnlySpan<byte> message, out RpcMetadata metadata)
    {
        FrameHeader header = client.Receive(out byte[] body);
        Assert.Equal(kind, header.Kind);
        message = body;
        Assert.Null(CallHead.TryTake(in header, ref message, out CallHead? head));
        metadata = head!.Metadata!;
    }

    /// <summary>Keeps calls on the server that their callers have the answers of.</summary>
    private sealed class Lingering(ManualResetEventSlim held) : RpcServerInterceptor
    {
        public override void Completed(RpcContext context, RpcStatus status, Exception? exception) => held.Wait();
    }

    private sealed class Recorder : RpcServerInterceptor
    {
        private readonly string _name;
        private readonly List<string> _log;
        private int _calls;

        public Recorder(string name, List<string> log)
        {
            _name = name;
            _log = log;
        }

        public int Refused { get; set; }

        public bool Translates { get; set; }

        public override void Starting(RpcContext context)
        {
            if (++_calls == Refused)
                throw new RpcCallException(RpcStatus.PermissionDenied, "the third one");
            Add("starts");
        }

        public override void Completed(RpcContext context, RpcStatus status, Exception? exception)
        {
            Add(status + (exception is null ? string.Empty : " " + exception.GetType().Name));
            throw new InvalidOperationException("goes no further");
        }

        public override RpcCallException? Map(RpcContext context, Exception exception)
            => Translates && exception is not RpcCallException ? new RpcCallException(RpcStatus.Aborted, "mapped: " + exception.Message) : null;

        private void Add(string what)
        {
            lock (_log)
                _log.Add(_name + " " + what);
        }
    }
}
