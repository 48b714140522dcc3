using System.Collections.Generic;
using System.Linq;
using static Ipc.Matrix.Runner;
using static Ipc.Matrix.Unit;

namespace Ipc.Matrix;

/// <summary>All rows, in the order of the table. Targets are ratios to the limit, the same on every machine.</summary>
/// <remarks>Every time of a round trip has its quantiles (Latency). What has none is no round trip, and the comment at its row says what it is; a rate counts what is under way at once.</remarks>
internal static class Figures
{
    private const string PingPong = "limit.pingpong64", TwoLines = "limit.pingpong64.2lines", Futex = "limit.futex", Spsc = "limit.spsc64", Copy = "limit.memcpy.1m", CopyAcross = "limit.response.1m", Stream = "limit.stream.64k";
    private const string Slots = "limit.slotqueue.1-1", SlotsMany = "limit.slotqueue.4-4", Stream1M = "limit.stream.1m", Stream100M = "limit.stream.100m";
    private const string Socket = "uds.64", Socket1M = "uds.1m", Polling = "uds.spin.64", Polling1M = "uds.spin.1m", PollingMany = "uds.spin.64.many", PollingOneWay = "uds.oneway.spin.64", Http = "http2.uds.64", HttpMany = "http2.uds.64.many";
    private const string Boost = "rival.boostmq.8.1-1.spin", ZeroMq = "rival.zeromq.8.1-1.spin", ZeroMqTopic = "rival.zeromq.pubsub.8.1-1.spin";
    private const string BareCall = "rabbitmq.client.unary.64", BareQueue = "rabbitmq.client.queue.64", BareFanout = "rabbitmq.client.fanout.64", BareCall4K = "rabbitmq.client.unary.4k", BareCall1M = "rabbitmq.client.unary.1m";
    // What the rows of many set: as many blocks as the limit beside a queue has, and no block longer than its message.
    private static readonly Tuning s_queue = new(Other: "256 blocks as long as a message, 65 participants"), s_topic = new(Other: "blocks as long as a message, 65 readers, 65 writers"), s_large = new(Other: "16 blocks of 64 KiB, 65 of each kind of participant");
    private static readonly Tuning s_queueLoans = new(Other: "16 blocks of 256 B, 65 participants, a budget of 1 GiB"), s_topicLoans = new(Other: "8 blocks of 256 B, 65 readers, 65 writers, a budget of 1 GiB");
    private static readonly Tuning s_spinning = new(Other: "both ends spin"), s_crowd = new(Other: "room for 10,000 connections"), s_reliable = new(Other: "the reliable policy"), s_asleep = new(ClientWait: WaitMode.Block);
    private const string SyncCall = "rpc.sync.64.spin.cs", Pipelined = "rpc.pipelined.64.cs", OneId = "rpc.ids.1.cs", Work100 = "rpc.work.100us.cs";

    public static IReadOnlyList<Figure> All { get; } =
    [
        new(PingPong, Nanoseconds, NativeLimits, Spins: true, Latency: true),
        new(TwoLines, Nanoseconds, NativeLimits, Spins: true, Latency: true),
        new(Futex, Microseconds, NativeLimits, Latency: true),
        new(Spsc, MillionPerSecond, NativeLimits, Spins: true),
        new(Copy, Microseconds, NativeLimits), // one process: nothing goes there and back
        new(CopyAcross, Microseconds, NativeLimits, Spins: true, Latency: true),
        new(Stream, GigabytesPerSecond, NativeLimits, Spins: true),

        new(Stream1M, GigabytesPerSecond, NativeLimits, Spins: true),
        new(Stream100M, GigabytesPerSecond, NativeLimits, Spins: true),
        // One way: the time is that of many that follow each other.
        new(Slots, Nanoseconds, NativeLimits, Spins: true),
        new(SlotsMany, Nanoseconds, NativeLimits, Spins: true),

        // 64 bytes and their header are two lines each way.
        new("ring.echo.64.spin.c", Nanoseconds, NativeRing, TwoLines, 1.0, Polling, Spins: true, Latency: true),
        new("ring.echo.64.spin.cs", Nanoseconds, Managed, TwoLines, 1.15, Polling, Spins: true, Latency: true),
        new("ring.echo.64.block.c", Microseconds, NativeRing, Futex, 1.1, Socket, Latency: true),
        new("ring.echo.64.block.cs", Microseconds, Managed, Futex, 1.2, Socket, Latency: true),
        new("ring.oneway.64.c", MillionPerSecond, NativeRing, Spsc, 0.8, PollingOneWay, Spins: true, Tuned: s_spinning),
        new("ring.oneway.64.cs", MillionPerSecond, Managed, Spsc, 0.5, PollingOneWay, Spins: true, Tuned: s_spinning),
        new("ring.oneway.64k.c", GigabytesPerSecond, NativeRing, Stream, 0.9, Spins: true, Tuned: s_spinning),
        new("ring.oneway.64k.cs", GigabytesPerSecond, Managed, Stream, 0.9, Spins: true, Tuned: s_spinning),

        new("named.echo.64.spin.c", Nanoseconds, NativeNamed, "ring.echo.64.spin.c", 1.3, Polling, Spins: true, Latency: true),
        new("named.echo.64.spin.cs", Nanoseconds, Managed, "ring.echo.64.spin.cs", 1.3, Polling, Spins: true, Latency: true),

        new("connect.first", Microseconds, NativeConnect, Rival: "uds.connect", Most: 1000, Latency: true),
        new("connect.1000", Milliseconds, NativeConnect, Most: 1000), // a thousand of them are one time
        new("many.1.echo", Nanoseconds, NativeConnect, Latency: true),
        new("many.1000.echo", Nanoseconds, NativeConnect, "many.1.echo", 1.43, Latency: true), // 0.7 times the echoes
        new("uds.connect", Microseconds, NativeConnect, Latency: true),
        new("idle.10000.cpu", PercentOfCore, NativeConnect, Most: 0.1, Tuned: s_crowd),
        new("idle.10000.bytes", KibibytesEach, NativeConnect, Most: 64, Tuned: s_crowd),

        // One way, per message that has come.
        new("queue.8.1-1.c", Nanoseconds, NativeCrew, Slots, 1.4, Boost, Spins: true, Tuned: s_queue),
        new("queue.8.4-4.c", Nanoseconds, NativeCrew, SlotsMany, 1.4, Spins: true, Tuned: s_queue),
        new("queue.8.1-1.cs", Nanoseconds, Runner.ManagedCrew, Slots, 2.1, ZeroMq, Spins: true, Tuned: s_queue), // 1.5 times the C queue's 1.4
        new("queue.8.4-4.cs", Nanoseconds, Runner.ManagedCrew, SlotsMany, 2.1, Spins: true, Tuned: s_queue),
        new("queue.64.1-1.c", Nanoseconds, NativeCrew, Slots, Spins: true, Tuned: s_queue),
        new("queue.1k.1-1.c", Nanoseconds, NativeCrew, Slots, Spins: true, Tuned: s_queue),
        new("queue.64k.1-1.c", GigabytesPerSecond, NativeCrew, Stream, 0.8, Spins: true, Tuned: s_large),
        new("queue.1m.1-1.c", GigabytesPerSecond, NativeCrew, Stream1M, 0.8, Spins: true, Tuned: s_queueLoans),
        new("queue.100m.1-1.c", GigabytesPerSecond, NativeCrew, Stream100M, 0.8, Spins: true, Tuned: s_queueLoans),

        // One way, per delivery: absolute, 150 ns at most on this sort of machine; 1-8 and 8-8 are shown.
        new("topic.8.1-1.c", Nanoseconds, NativeCrew, Slots, Rival: ZeroMqTopic, Spins: true, Most: 150, Tuned: s_topic),
        new("topic.8.1-4.c", Nanoseconds, NativeCrew, Slots, Spins: true, Most: 150, Tuned: s_topic),
        new("topic.8.4-4.c", Nanoseconds, NativeCrew, SlotsMany, Spins: true, Most: 150, Tuned: s_topic),
        new("topic.8.1-1.cs", Nanoseconds, Runner.ManagedCrew, Slots, Rival: ZeroMqTopic, Spins: true, Most: 150, Tuned: s_topic),
        new("topic.8.1-4.cs", Nanoseconds, Runner.ManagedCrew, Slots, Spins: true, Most: 150, Tuned: s_topic),
        new("topic.8.4-4.cs", Nanoseconds, Runner.ManagedCrew, SlotsMany, Spins: true, Most: 150, Tuned: s_topic),
        new("topic.8.1-8.c", Nanoseconds, NativeCrew, Slots, Spins: true, Tuned: s_topic),
        new("topic.8.8-8.c", Nanoseconds, NativeCrew, SlotsMany, Spins: true, Tuned: s_topic),
        new("topic.64k.1-1.c", GigabytesPerSecond, NativeCrew, Stream, 0.8, Spins: true, Tuned: s_large),
        new("topic.1m.1-1.c", GigabytesPerSecond, NativeCrew, Stream1M, 0.8, Spins: true, Tuned: s_topicLoans),
        new("topic.100m.1-1.c", GigabytesPerSecond, NativeCrew, Stream100M, 0.8, Spins: true, Tuned: s_topicLoans),

        // A call moves two lines each way. Who spins stands beside a socket that polls, who sleeps beside HTTP/2, which does.
        new(SyncCall, Nanoseconds, Managed, TwoLines, 3, Polling, Spins: true, Latency: true),
        new("rpc.sync.64.spin.cpp", Nanoseconds, NativeRpc, TwoLines, 3, Polling, Spins: true, Latency: true),
        new("rpc.sync.64.block.cs", Microseconds, Managed, Futex, 1.3, Http, Latency: true),
        new("rpc.sync.64.block.cpp", Microseconds, NativeRpc, Futex, 1.3, Http, Latency: true),
        new("rpc.sync.4k.spin.cs", Nanoseconds, Managed, "rpc.sync.4k.spin.cpp", 1.5, Spins: true, Latency: true),
        new("rpc.sync.4k.spin.cpp", Nanoseconds, NativeRpc, PingPong, Spins: true, Latency: true),
        new("rpc.async.64.spin.cs", Nanoseconds, Managed, SyncCall, 1.5, Polling, Spins: true, Latency: true),
        new(Pipelined, MillionPerSecond, Managed, Spsc, Rival: PollingMany, Spins: true, Least: 1),
        new("rpc.pipelined.64.2clients.cs", MillionPerSecond, Managed, Pipelined, 1.5, Rival: PollingMany, Spins: true),
        new(Work100, Microseconds, Managed, Latency: true, Tuned: s_asleep),
        new("rpc.work.100us.2clients.cs", Microseconds, Managed, Work100, 0.67, Latency: true, Tuned: s_asleep, TwoCores: true), // 1.5 times the calls
        new("rpc.batched.64.cs", MillionPerSecond, Managed, Spsc, Rival: PollingMany, Spins: true, Least: 1),
        // Default options first, then tuned ones.
        new("rpc.stream.64.default.cs", MillionPerSecond, Managed, Spsc, Spins: true, Least: 5),
        new("rpc.stream.64.cs", MillionPerSecond, Managed, Spsc, Spins: true, Least: 5, Tuned: new(ToClientCapacity: 4 << 20, StreamWindow: 8192)),
        // A small call beside a stream of pieces of 64 KiB on the same connection; p99, default options, not pinned.
        new("mixed.alone.p99", Microseconds, Managed, Latency: true),
        new("mixed.p99", Microseconds, Managed, "mixed.alone.p99", 5, Latency: true),
        new("rpc.response.1m.cs", Microseconds, Managed, Copy, 3, Spins: true, Latency: true),
        new("rpc.response.1m.pooled.cs", Microseconds, Managed, CopyAcross, 2, Spins: true, Latency: true),
        new("rpc.response.1m.inplace.cs", Microseconds, Managed, Copy, 3, Spins: true, Latency: true),
        new("rpc.response.1m.cpp", Microseconds, NativeRpc, Copy, 3, Spins: true, Latency: true),
        new("rpc.response.1m.kept.cpp", Microseconds, NativeRpc, Copy, 3, Spins: true, Latency: true),
        new("rpc.allocated.sync.cs", BytesPerCall, Managed),

        // The largest ratio of two lengths one byte apart, from 1 B to 1 MB: nothing may get twice as dear by one byte.
        new("cliff.queue.c", Times, NativeCliff, Most: 2),
        new("cliff.ring.c", Times, NativeCliff, Most: 2),
        new("cliff.topic.c", Times, NativeCliff, Most: 2, Tuned: new(Other: "64 blocks")),
        new("cliff.queue.cs", Times, Managed, Most: 2),
        new("cliff.ring.cs", Times, Managed, Most: 2),
        new("cliff.topic.cs", Times, Managed, Most: 2, Tuned: new(Other: "64 blocks")),

        // What a plain program gets, beside a Unix socket in the same place: default options, any core, the first 20,000 calls of a new process; with busy loops beside it.
        .. PlainRows(),

        // Beside a table that is written and read in one process: what the call adds to its serialization.
        new("rpc.table.1000x10.cs", Microseconds, Managed, "codec.both.table.cs", 1.15, Spins: true, Latency: true),
        new("codec.both.table.cs", Microseconds, Managed), // one process

        // Ten short strings per id, ns per id: the ratio is what a batch of so many ids takes of asking for each alone.
        new(OneId, Nanoseconds, Managed, Spins: true, Latency: true),
        new("rpc.ids.10.cs", Nanoseconds, Managed, OneId, Spins: true, Latency: true),
        new("rpc.ids.100.cs", Nanoseconds, Managed, OneId, Spins: true, Latency: true),
        new("rpc.ids.500.cs", Nanoseconds, Managed, OneId, Spins: true, Latency: true),

        // One process. The generated codecs beside Google.Protobuf for the same bytes: a small message, the table, nested messages with packed numbers.
        new("codec.encode.cs", Nanoseconds, Managed, "codec.encode.google", 1),
        new("codec.decode.cs", Nanoseconds, Managed, "codec.decode.google", 1),
        new("codec.encode.table.cs", Nanoseconds, Managed, "codec.encode.table.google", 1),
        new("codec.decode.table.cs", Nanoseconds, Managed, "codec.decode.table.google", 1),
        new("codec.encode.packed.cs", Nanoseconds, Managed, "codec.encode.packed.google", 1),
        new("codec.decode.packed.cs", Nanoseconds, Managed, "codec.decode.packed.google", 1),
        new("codec.encode.google", Nanoseconds, Managed),
        new("codec.decode.google", Nanoseconds, Managed),
        new("codec.encode.table.google", Nanoseconds, Managed),
        new("codec.decode.table.google", Nanoseconds, Managed),
        new("codec.encode.packed.google", Nanoseconds, Managed),
        new("codec.decode.packed.google", Nanoseconds, Managed),

        // One process. The adapters of other serializers beside the generated codecs: the ratio is what a contract pays for them.
        new("codec.encode.protobufnet", Nanoseconds, Managed, "codec.encode.cs"),
        new("codec.decode.protobufnet", Nanoseconds, Managed, "codec.decode.cs"),
        new("codec.encode.table.protobufnet", Nanoseconds, Managed, "codec.encode.table.cs"),
        new("codec.decode.table.protobufnet", Nanoseconds, Managed, "codec.decode.table.cs"),
        new("codec.encode.packed.protobufnet", Nanoseconds, Managed, "codec.encode.packed.cs"),
        new("codec.decode.packed.protobufnet", Nanoseconds, Managed, "codec.decode.packed.cs"),
        new("codec.encode.messagepack", Nanoseconds, Managed, "codec.encode.cs"),
        new("codec.decode.messagepack", Nanoseconds, Managed, "codec.decode.cs"),
        new("codec.encode.table.messagepack", Nanoseconds, Managed, "codec.encode.table.cs"),
        new("codec.decode.table.messagepack", Nanoseconds, Managed, "codec.decode.table.cs"),
        new("codec.encode.packed.messagepack", Nanoseconds, Managed, "codec.encode.packed.cs"),
        new("codec.decode.packed.messagepack", Nanoseconds, Managed, "codec.decode.packed.cs"),

        new("pipe.64", Microseconds, Managed, Futex, Latency: true),
        new("pipe.ipc.64", Microseconds, Managed, Polling, 0.2, Polling, Spins: true, Latency: true),
        new(Socket, Microseconds, Managed, Futex, Latency: true),
        new(Socket1M, Microseconds, Managed, Copy, Latency: true),
        new("pipe.ipc.1m", Microseconds, Managed, Polling1M, 0.33, Polling1M, Spins: true, Latency: true),
        new(Polling, Microseconds, NativeSockets, PingPong, Spins: true, Latency: true),
        new(Polling1M, Microseconds, NativeSockets, Copy, Spins: true, Latency: true),
        new(PollingMany, MillionPerSecond, NativeSockets, Spsc, Spins: true),
        new(PollingOneWay, MillionPerSecond, NativeSockets, Spsc, Spins: true),
        new("tcp.64", Microseconds, Managed, Futex, Latency: true),
        new("tcp.echo.64.block", Microseconds, Managed, "tcp.64", 1.25, Latency: true),
        new("tcp.echo.64.default", Microseconds, Managed, "tcp.64", Latency: true),
        new("tcp.named.64.default", Microseconds, Managed, "tcp.64", Latency: true),
        new(Http, Microseconds, Managed, Futex, Latency: true),
        new(HttpMany, MillionPerSecond, Managed, Spsc),
        new("http2.ipc.64", Microseconds, Managed, Http, 0.77, Latency: true),
        new("http2.ipc.64.many", MillionPerSecond, Managed, HttpMany, 1.3),
        new("grpc.uds.64", Microseconds, Managed, Http, Latency: true),
        new("grpc.uds.1m", Microseconds, Managed, Socket1M, Latency: true),
        new("grpc.ipc.64", Microseconds, Managed, "grpc.uds.64", 0.77, Latency: true),
        new("grpc.ipc.1m", Microseconds, Managed, "grpc.uds.1m", 0.67, Latency: true),
        // Through a broker on this machine, beside what one writes by hand with its client: calls, and messages that the broker confirms.
        new(BareCall, Microseconds, Managed, Optional: true, Latency: true),
        new("amqp.unary.64", Microseconds, Managed, BareCall, 1.3, Optional: true, Latency: true),
        new(BareCall4K, Microseconds, Managed, Optional: true, Latency: true),
        new("amqp.unary.4k", Microseconds, Managed, BareCall4K, 1.3, Optional: true, Latency: true),
        new(BareCall1M, Microseconds, Managed, Optional: true, Latency: true),
        new("amqp.unary.1m", Microseconds, Managed, BareCall1M, 1.3, Optional: true, Latency: true),
        new("gateway.unary.64", Microseconds, Managed, "amqp.unary.64", Optional: true, Latency: true), // at most 150 us more: docs/performance.md
        // One way, 64 under way.
        new(BareQueue, Microseconds, Managed, Optional: true),
        new("amqp.queue.64", Microseconds, Managed, BareQueue, 1.25, Optional: true), // 0.8 times the messages a second
        new(BareFanout, Microseconds, Managed, Optional: true),
        new("amqp.fanout.64", Microseconds, Managed, BareFanout, 1.0, Optional: true, Tuned: s_reliable),
        new("uds.oneway.64", MillionPerSecond, Managed, Spsc),
        // One way.
        new("rival.boostmq.8.1-1", Nanoseconds, NativeRival, Slots, Optional: true),
        new(Boost, Nanoseconds, NativeRival, Slots, Spins: true, Optional: true),
        new("rival.zeromq.8.1-1", Nanoseconds, NativeRival, Slots, Optional: true),
        new(ZeroMq, Nanoseconds, NativeRival, Slots, Spins: true, Optional: true),
        new("rival.zeromq.pubsub.8.1-1", Nanoseconds, NativeRival, Slots, Optional: true),
        new(ZeroMqTopic, Nanoseconds, NativeRival, Slots, Spins: true, Optional: true),
        new("rival.nng.8.1-1", Nanoseconds, NativeRival, Slots, Optional: true),
        new("rival.nng.8.1-1.spin", Nanoseconds, NativeRival, Slots, Spins: true, Optional: true),
    ];

    private static IEnumerable<Figure> PlainRows()
    {
        foreach (string quantile in new[] { "", ".p99", ".p999", ".max" })
        {
            bool isMedian = quantile.Length == 0, isJudged = isMedian || quantile == ".p99";
            double? Judged(double median, double tail) => isMedian ? median : isJudged ? tail : null;
            string plain = "default.uds.64" + quantile;
            yield return new Figure(plain, Microseconds, Managed);
            yield return Beside(plain, "default.rpc.sync.64.cs" + quantile, Managed, Judged(0.2, 0.6));
            yield return Beside(plain, "default.rpc.async.64.cs" + quantile, Managed, Judged(0.4, 0.6));
            yield return Beside(plain, "default.rpc.task.64.cs" + quantile, Managed, Judged(0.4, 0.6));
            yield return Beside(plain, "default.rpc.sync.64.cpp" + quantile, NativeRpc, Judged(0.2, 0.6));
            for (int loops = 0; loops <= 2; loops++)
            {
                string socket = $"busy.{loops}.uds.64{quantile}";
                yield return new Figure(socket, Microseconds, Managed);
                yield return Beside(socket, $"busy.{loops}.rpc.sync.64.cs{quantile}", Managed, Judged(0.8, 1));
                yield return Beside(socket, $"busy.{loops}.rpc.sync.64.cpp{quantile}", NativeRpc, Judged(0.8, 1));
                yield return Beside(socket, $"busy.{loops}.rpc.sync.64.cs-cpp{quantile}", Mixed, Judged(0.8, 1)); // C# calls, C++ serves
                yield return Beside(socket, $"busy.{loops}.rpc.sync.64.cpp-cs{quantile}", Mixed, Judged(0.8, 1));
            }
        }
    }

    /// <summary>A socket in the same place and under the same load is what such a row is held against, and what its user would take instead.</summary>
    private static Figure Beside(string socket, string name, Runner runner, double? target) => new(name, Microseconds, runner, socket, target, socket);

    public static Figure Named(string name) => All.First(figure => figure.Name == name);
}
