using System;
using Ipc.Bench.Codec;

namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>The managed figures by name.</summary>
internal static class Subjects
{
    public static Subject Create(string figure) => figure switch
    {
        "default.rpc.sync.64.cs" => new PlainRpc(PlainRpc.Call.Sync),
        "default.rpc.async.64.cs" => new PlainRpc(PlainRpc.Call.Async),
        "default.rpc.task.64.cs" => new PlainRpc(PlainRpc.Call.Task),
        "default.uds.64" => new PlainSocket(),
        "ring.echo.64.spin.cs" => new RingEcho(WaitMode.Spin, Unit.Nanoseconds, 250_000),
        "ring.echo.64.block.cs" => new RingEcho(WaitMode.Block, Unit.Microseconds, 1_500),
        "named.echo.64.spin.cs" => new NamedEcho(200_000),
        "ring.oneway.64.cs" => new RingOneWay(2_000_000),
        "ring.oneway.64k.cs" => new RingBlocks(10_000),
        "rpc.sync.64.spin.cs" => new RpcEcho(Row(figure), 62, 50_000), // tag and length take two of the 64
        "rpc.sync.64.block.cs" => new RpcEcho(Row(figure), 62, 1_000),
        "rpc.sync.4k.spin.cs" => new RpcEcho(Row(figure), 4093, 20_000),
        "rpc.async.64.spin.cs" => new RpcAsyncEcho(Row(figure), 50_000),
        "rpc.pipelined.64.cs" => new RpcPipelined(Row(figure), 100_000),
        "rpc.pipelined.64.2clients.cs" => new RpcTwoClients(Row(figure), 200_000),
        "rpc.work.100us.cs" => new RpcWork(Row(figure), 100, 1, 500),
        "rpc.work.100us.2clients.cs" => new RpcWork(Row(figure), 100, 2, 1_000),
        "rpc.batched.64.cs" => new RpcBatched(Row(figure), 100_000),
        "rpc.stream.64.cs" => new RpcItems(Row(figure), 300_000),
        "rpc.stream.64.default.cs" => new RpcItems(Row(figure), 300_000),
        "mixed.alone.p99" => new RpcMixed(Row(figure), isAlone: true),
        "mixed.p99" => new RpcMixed(Row(figure), isAlone: false),
        "rpc.response.1m.cs" => new RpcFetch(Row(figure), 1 << 20, 200),
        "rpc.response.1m.pooled.cs" => new RpcFetchAs<PooledBytes>(Row(figure), 1 << 20, 200, static (ref ProtoReader reader) => reader.ReadPooledBytes(), LengthOf),
        "rpc.response.1m.inplace.cs" => new RpcFetchAs<int>(Row(figure), 1 << 20, 200, static (ref ProtoReader reader) => reader.ReadBytesInPlace().Count((byte)'x'), static found => found),
        "rpc.table.1000x10.cs" => new RpcTable(Row(figure), 100),
        "rpc.ids.1.cs" => new RpcIds(Row(figure), 1, 25_000),
        "rpc.ids.10.cs" => new RpcIds(Row(figure), 10, 8_000),
        "rpc.ids.100.cs" => new RpcIds(Row(figure), 100, 900),
        "rpc.ids.500.cs" => new RpcIds(Row(figure), 500, 180),
        "codec.both.table.cs" => new TableCodec(100),
        "rpc.allocated.sync.cs" => new RpcAllocated(Row(figure), 10_000),
        "codec.encode.cs" => new CodecWork(Shapes.Small, encodes: true, google: false, 400_000),
        "codec.encode.google" => new CodecWork(Shapes.Small, encodes: true, google: true, 400_000),
        "codec.decode.cs" => new CodecWork(Shapes.Small, encodes: false, google: false, 300_000),
        "codec.decode.google" => new CodecWork(Shapes.Small, encodes: false, google: true, 300_000),
        "codec.encode.table.cs" => new CodecWork(Shapes.Table, encodes: true, google: false, 200),
        "codec.encode.table.google" => new CodecWork(Shapes.Table, encodes: true, google: true, 200),
        "codec.decode.table.cs" => new CodecWork(Shapes.Table, encodes: false, google: false, 100),
        "codec.decode.table.google" => new CodecWork(Shapes.Table, encodes: false, google: true, 100),
        "codec.encode.packed.cs" => new CodecWork(Shapes.Packed, encodes: true, google: false, 5_000),
        "codec.encode.packed.google" => new CodecWork(Shapes.Packed, encodes: true, google: true, 5_000),
        "codec.decode.packed.cs" => new CodecWork(Shapes.Packed, encodes: false, google: false, 5_000),
        "codec.decode.packed.google" => new CodecWork(Shapes.Packed, encodes: false, google: true, 5_000),
        _ when figure.StartsWith("codec.", StringComparison.Ordinal) => SerializerWork.Of(figure),
        "cliff.queue.cs" => new Cliff("queue"),
        "cliff.ring.cs" => new Cliff("ring"),
        "cliff.topic.cs" => new Cliff("topic"),
        _ when figure.StartsWith("size.", StringComparison.Ordinal) => Cliff.OfSize(figure),
        "pipe.64" => new ByteEcho<PipeBytes>(64, 1_000),
        "pipe.ipc.64" => new IpcPipeEcho(64, 20_000),
        "pipe.ipc.1m" => new IpcPipeEcho(1 << 20, 100),
        "uds.64" => new ByteEcho<UnixSocketBytes>(64, 1_000),
        "uds.1m" => new ByteEcho<UnixSocketBytes>(1 << 20, 100),
        "tcp.64" => new ByteEcho<TcpBytes>(64, 1_000),
        "tcp.echo.64.block" => new TcpEcho(1_000, WaitMode.Block, isNamed: false),
        "tcp.echo.64.default" => new TcpEcho(1_000, WaitMode.Adaptive, isNamed: false),
        "tcp.named.64.default" => new TcpEcho(1_000, WaitMode.Adaptive, isNamed: true),
        "amqp.unary.64" => new AmqpPair(200, 1),
        "amqp.queue.64" => new AmqpPair(2_000, 64),
        "gateway.unary.64" => new GatewayPair(200),
        "amqp.unary.4k" => new AmqpPair(200, 1, 4 << 10),
        "amqp.unary.1m" => new AmqpPair(10, 1, 1 << 20),
        "rabbitmq.client.unary.64" => new RabbitMqPair(200, 1),
        "rabbitmq.client.unary.4k" => new RabbitMqPair(200, 1, 4 << 10),
        "rabbitmq.client.unary.1m" => new RabbitMqPair(10, 1, 1 << 20),
        "rabbitmq.client.queue.64" => new RabbitMqPair(2_000, 64),
        "amqp.fanout.64" => new AmqpFanout(20_000),
        "rabbitmq.client.fanout.64" => new RabbitMqFanout(20_000),
        "uds.oneway.64" => new SocketOneWay(60_000),
        "http2.uds.64" => new Http2Echo(500),
        "http2.ipc.64" => new Http2Echo(500, isIpc: true),
        "http2.ipc.64.many" => new Http2Echo(5_000, 64, isIpc: true),
        "http2.uds.64.many" => new Http2Echo(5_000, 64),
        "grpc.uds.64" => new GrpcEcho(64, 500),
        "grpc.uds.1m" => new GrpcEcho(1 << 20, 30),
        "grpc.ipc.64" => new GrpcEcho(64, 500, isIpc: true),
        "grpc.ipc.1m" => new GrpcEcho(1 << 20, 30, isIpc: true),
        _ => throw new ArgumentException($"There is no figure {figure} in this program.", nameof(figure)),
    };

    private static Figure Row(string figure) => Figures.Named(figure);

    private static int LengthOf(PooledBytes data)
    {
        using (data)
            return data.Length;
    }
}
