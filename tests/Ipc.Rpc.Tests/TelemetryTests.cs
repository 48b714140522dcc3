using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What listeners are told of calls. Alone in the process: listeners hear everything.</summary>
[Collection(nameof(Alone))]
public sealed class TelemetryTests : IDisposable
{
    private readonly TestServer _server = new();
    private readonly RpcClient _client;
    private readonly ITestService _service;

    public TelemetryTests()
    {
        _client = _server.Connect();
        _service = TestServiceRpc.Client(_client);
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
    }

    [Fact]
    public async Task ACallIsOneTraceOnBothSidesWhateverItsShape()
    {
        using var spans = new Spans();
        using (var outer = new Activity("outer").Start())
        {
            outer.TraceStateString = "vendor=1";
            _service.Add(1, 2);
            Same(spans.Pair("test.v1/Add"), outer);
            Assert.Same(outer, Activity.Current);

            await _service.NothingAsync(TestContext.Current.CancellationToken);
            Same(spans.Pair("test.v1/Nothing"), outer);

            await foreach (int item in _service.Count(1, 3, TestContext.Current.CancellationToken))
                Assert.InRange(item, 1, 3);
            Same(spans.Pair("test.v1/Count"), outer);
            Assert.Same(outer, Activity.Current);
        }

        _service.Blob(1); // no span around it: the call is the root
        (Activity client, Activity server) = spans.Pair("test.v1/Blob");
        Assert.Equal(default, client.ParentSpanId);
        Assert.Equal((client.TraceId, client.SpanId), (server.TraceId, server.ParentSpanId));
    }

    [Fact]
    public async Task EveryOtherShapeIsOneTraceToo()
    {
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.OneWay(Hand.Tell, static (_, _) => { }),
            RpcHandler.UnaryProgress(Hand.Work, static async (number, progress, _) =>
            {
                await Task.Yield();
                progress.Report(number);
                return number;
            }),
            RpcHandler.ClientStream(Hand.Sum, static async (number, items, cancel) =>
            {
                await foreach (int item in items.WithCancellation(cancel))
                    number += item;
                return number;
            }),
            RpcHandler.Duplex(Hand.Scale, static (_, items, _) => items));
        using RpcClient client = RpcClient.Connect(name);
        using var spans = new Spans();
        using (var outer = new Activity("outer").Start())
        {
            outer.TraceStateString = "vendor=1";
            client.Notify(Hand.Tell, 1);
            Same(spans.Pair("hand.v1/Tell"), outer, "hand.v1");

            Assert.Equal(5, await client.CallAsync(Hand.Work, 5, new Progress<int>(), TestContext.Current.CancellationToken));
            Same(spans.Pair("hand.v1/Work"), outer, "hand.v1");

            Assert.Equal(16, await client.ClientStream(Hand.Sum, 10, new Source(3), TestContext.Current.CancellationToken));
            Same(spans.Pair("hand.v1/Sum"), outer, "hand.v1");

            int seen = 0;
            await foreach (int item in client.Duplex(Hand.Scale, 0, new Source(3), TestContext.Current.CancellationToken))
                Assert.Equal(++seen, item);
            Assert.Equal(3, seen);
            Same(spans.Pair("hand.v1/Scale"), outer, "hand.v1");
            Assert.Same(outer, Activity.Current);
        }
    }

    /// <summary>The handler's span is the parent of the callback's, on the way back through the same connection.</summary>
    [Fact]
    public async Task ACallbackIsPartOfItsCallsTrace()
    {
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Ask, static (number, cancel) => RpcContext.Current!.Caller.Call(Hand.Other, number, cancel)),
            RpcHandler.UnaryProgress(Hand.Work, static (number, _, cancel) => RpcContext.Current!.Caller.CallAsync(Hand.Other, number, cancel)));
        var options = new RpcClientOptions { Services = { Hand.Service(RpcHandler.Unary(Hand.Other, static (number, _) => number + 1)) } };
        using RpcClient client = RpcClient.Connect(name, options);
        using (var spans = new Spans())
        {
            Assert.Equal(3, client.Call(Hand.Ask, 2));
            Chain(spans.Pair("hand.v1/Ask"), spans.Pair("hand.v1/Other"));
        }

        using (var spans = new Spans())
        {
            Assert.Equal(3, await client.CallAsync(Hand.Work, 2, new Progress<int>(), TestContext.Current.CancellationToken));
            Chain(spans.Pair("hand.v1/Work"), spans.Pair("hand.v1/Other"));
        }

        static void Chain((Activity Client, Activity Server) call, (Activity Client, Activity Server) back)
        {
            Assert.Equal((call.Server.TraceId, call.Server.SpanId), (back.Client.TraceId, back.Client.ParentSpanId));
            Assert.Equal((back.Client.TraceId, back.Client.SpanId), (back.Server.TraceId, back.Server.ParentSpanId));
        }
    }

    [Fact]
    public void AOneWayCallThatFailsSaysSoOnItsServersSpanAlone()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.OneWay(Hand.Tell, static (_, _) => throw new RpcCallException(RpcStatus.NotFound, "nobody")));
        using RpcClient client = RpcClient.Connect(name);
        using var spans = new Spans();
        client.Notify(Hand.Tell, 1);
        (Activity sent, Activity handled) = spans.Pair("hand.v1/Tell");
        Assert.Equal(ActivityStatusCode.Unset, sent.Status); // it was published, no more is known
        Assert.Equal((ActivityStatusCode.Error, "NotFound"), (handled.Status, handled.GetTagItem("error.type")));
    }

    [Fact]
    public void AFailureIsOnBothSpans()
    {
        using var spans = new Spans();
        Assert.Throws<RpcCallException>(() => _service.Throw("any"));
        (Activity client, Activity server) = spans.Pair("test.v1/Throw");
        foreach (Activity span in new[] { client, server })
        {
            Assert.Equal(ActivityStatusCode.Error, span.Status);
            Assert.Equal((int)RpcStatus.Unknown, span.GetTagItem("rpc.ipc.status_code"));
            Assert.Equal("Unknown", span.GetTagItem("error.type"));
        }
    }

    [Fact]
    public async Task AStreamThatItsConsumerLeavesEndsItsSpan()
    {
        using var spans = new Spans();
        await foreach (int _ in _service.Count(1, int.MaxValue, TestContext.Current.CancellationToken))
            break;
        (Activity client, Activity server) = spans.Pair("test.v1/Count");
        Assert.Equal((int)RpcStatus.Cancelled, client.GetTagItem("rpc.ipc.status_code"));
        Assert.Equal((int)RpcStatus.Cancelled, server.GetTagItem("rpc.ipc.status_code"));
        Assert.Equal(ActivityStatusCode.Unset, client.Status); // nothing went wrong
    }

    [Fact]
    public void DurationsCarryTheConventionsAttributes()
    {
        var told = new ConcurrentQueue<(string Name, string? Unit, double Value, Dictionary<string, object?> Tags)>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, l) =>
        {
            if (instrument.Meter.Name == "Ipc.Rpc")
                l.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => told.Enqueue((instrument.Name, instrument.Unit, value, Tags(tags))));
        listener.Start();

        _service.Add(1, 2);
        Assert.Throws<RpcCallException>(() => _service.Throw("any"));
        Eventually.True(() => told.Count == 4, "both sides have told both calls");
        foreach (string name in new[] { "rpc.client.duration", "rpc.server.duration" })
        {
            var (_, unit, value, tags) = told.Single(t => t.Name == name && (string)t.Tags["rpc.method"]! == "Add");
            Assert.Equal("ms", unit);
            Assert.InRange(value, double.Epsilon, Eventually.Watchdog.TotalMilliseconds);
            Assert.Equal(("ipc", "test.v1", 0), (tags["rpc.system"], tags["rpc.service"], tags["rpc.ipc.status_code"]));
            Assert.DoesNotContain("error.type", tags.Keys);
            Assert.Equal("Unknown", told.Single(t => t.Name == name && (string)t.Tags["rpc.method"]! == "Throw").Tags["error.type"]);
        }
    }

    [Fact]
    public async Task ConnectionsPendingCallsAndBytesAreCountedWhenAsked()
    {
        var counts = new Dictionary<string, long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, l) =>
        {
            if (instrument.Meter.Name == "Ipc.Rpc" && instrument.IsObservable)
                l.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            Dictionary<string, object?> all = Tags(tags);
            if ((string)all["ipc.name"]! == _server.Name)
                counts[instrument.Name + " " + all["ipc.rpc.side"] + (all.TryGetValue("network.io.direction", out object? direction) ? " " + direction : "")] = value;
        });
        listener.Start();

        byte[] blob = _service.Blob(100_000);
        string gate = TestServer.NewName();
        Task<int> pending = _service.WaitAsync(gate, TestContext.Current.CancellationToken).AsTask();
        Eventually.True(() => Count("ipc.rpc.calls.pending server") == 1, "the server has the call");
        Assert.Equal(1, Count("ipc.rpc.calls.pending client"));
        Assert.Equal((1, 1), (Count("ipc.rpc.connections client"), Count("ipc.rpc.connections server")));
        Assert.InRange(Count("ipc.rpc.io client receive"), blob.Length, blob.Length + 1000);
        Assert.Equal(Count("ipc.rpc.io client receive"), Count("ipc.rpc.io server transmit"));
        Assert.Equal(Count("ipc.rpc.io client transmit"), Count("ipc.rpc.io server receive"));
        long carried = Count("ipc.rpc.io client receive");

        _client.Dispose();
        await Assert.ThrowsAsync<RpcCallException>(() => pending);
        Eventually.True(() => Count("ipc.rpc.connections server") == 0, "the server has seen the client go");
        Assert.Equal((0, 0), (Count("ipc.rpc.connections client"), Count("ipc.rpc.calls.pending client")));
        Assert.InRange(Count("ipc.rpc.io client receive"), carried, carried + 1000); // what an ended connection has carried still counts

        long Count(string key)
        {
            counts.Clear();
            listener.RecordObservableInstruments();
            return counts.GetValueOrDefault(key, -1);
        }
    }

    [Fact]
    public void TheEventSourceTellsOfConnectionsAndCalls()
    {
        using var listener = new Events();
        using (var server = new TestServer())
        using (RpcClient client = server.Connect())
            TestServiceRpc.Client(client).Add(1, 2);
        Eventually.True(() => listener.Has("ServerStopped"), "the server has stopped");
        foreach (string name in new[] { "ServerStarted", "Connected", "ClientAccepted", "CallStart", "CallStop", "ConnectionLost" })
            Assert.True(listener.Has(name), name + " was not told");
    }

    [Fact]
    public void WhenTheLastListenerHasGoneACallAllocatesNothing()
    {
        using (var spans = new Spans())
        {
            _service.Add(1, 2);
            spans.Pair("test.v1/Add");
        }

        const int Calls = 2000;
        long allocated = long.MaxValue;
        for (int attempt = 0; attempt < 5 && allocated != 0; attempt++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Calls; i++)
                _service.Add(i, 1);
            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Assert.Equal(0, allocated);
    }

    [Fact]
    public void AHeadCarriesTheContextOfATraceUnchanged()
    {
        using var spans = new Spans();
        using Activity outer = new Activity("outer") { TraceStateString = "a=1,b=2", ActivityTraceFlags = ActivityTraceFlags.Recorded }.Start();
        CallHead? head = null;
        TraceContext.AddTo(ref head);
        Assert.True(TraceContext.TryRead(head, out ActivityContext read));
        Assert.Equal((outer.TraceId, outer.SpanId, ActivityTraceFlags.Recorded, "a=1,b=2", true), (read.TraceId, read.SpanId, read.TraceFlags, read.TraceState, read.IsRemote));
    }

    [Theory]
    [InlineData(0, 1)] // no trace id
    [InlineData(1, 0)] // no span id
    public void AContextWithoutAnIdIsNone(byte trace, byte span)
    {
        var bytes = new byte[CallHead.TraceLength];
        bytes[15] = trace;
        bytes[23] = span;
        Assert.False(TraceContext.TryRead(new CallHead { Trace = bytes }, out _));
        Assert.False(TraceContext.TryRead(null, out _));
    }

    private static void Same((Activity Client, Activity Server) pair, Activity outer, string service = "test.v1")
    {
        Assert.Equal((outer.TraceId, outer.SpanId), (pair.Client.TraceId, pair.Client.ParentSpanId));
        Assert.Equal((outer.TraceId, pair.Client.SpanId), (pair.Server.TraceId, pair.Server.ParentSpanId));
        Assert.True(pair.Server.HasRemoteParent);
        Assert.Equal("vendor=1", pair.Server.TraceStateString);
        Assert.Equal(("ipc", service), (pair.Server.GetTagItem("rpc.system"), pair.Server.GetTagItem("rpc.service")));
    }

    private static Dictionary<string, object?> Tags(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var all = new Dictionary<string, object?>();
        foreach (KeyValuePair<string, object?> tag in tags)
            all.Add(tag.Key, tag.Value);
        return all;
    }

    /// <summary>Everything that the activity source tells.</summary>
    private sealed class Spans : IDisposable
    {
        private readonly ConcurrentQueue<Activity> _ended = new();
        private readonly ActivityListener _listener;

        public Spans()
        {
            _listener = new ActivityListener
            {
                ShouldListenTo = static source => source.Name == "Ipc.Rpc",
                Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
                ActivityStopped = _ended.Enqueue,
            };
            ActivitySource.AddActivityListener(_listener);
        }

        public (Activity Client, Activity Server) Pair(string name)
        {
            bool complete = SpinWait.SpinUntil(() => _ended.Count(a => a.DisplayName == name) == 2, Eventually.Watchdog);
            Assert.True(complete, "not both sides of " + name + " have ended; these have: " + string.Join(", ", _ended.Select(static a => a.Kind + " " + a.DisplayName)));
            return (_ended.Single(a => a.DisplayName == name && a.Kind == ActivityKind.Client), _ended.Single(a => a.DisplayName == name && a.Kind == ActivityKind.Server));
        }

        public void Dispose() => _listener.Dispose();
    }

    private sealed class Events : EventListener
    {
        private readonly ConcurrentQueue<string> _names = new();

        public bool Has(string name) => _names.Contains(name);

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Ipc")
                EnableEvents(eventSource, EventLevel.Verbose, EventKeywords.All);
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData) => _names?.Enqueue(eventData.EventName!);
    }
}
