using System;
using System.IO;

namespace Ipc.Matrix.Cells;

/// <summary>The transports by name, and what some of them share.</summary>
internal static class Links
{
    /// <summary>Of every ring and socket buffer: what 500 responses of 1 kB fit into.</summary>
    public const int Capacity = 1 << 20;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    /// <exception cref="FormatException">There is no such transport.</exception>
    public static Link Create(string transport) => transport switch
    {
        "ring" => new RingLink(),
        "connection" => new ConnectionLink(),
        "queue" => new QueueLink(),
        "topic" => new TopicLink(),
        "named" => new NamedLink(),
        "tcp" => new TcpLink(),
        "fifo" => new FifoLink(),
        "uds" => new SocketLink(isTcp: false),
        "tcp-loopback" => new SocketLink(isTcp: true),
        "duplexpipe" => new DuplexPipeLink(),
        "rpc" => new RpcLink(),
        "http2-uds" => new Http2Link(isIpc: false),
        "http2-ipc" => new Http2Link(isIpc: true),
        "grpc-uds" => new GrpcLink(isIpc: false),
        "grpc-ipc" => new GrpcLink(isIpc: true),
        "jsonrpc-uds" => new JsonRpcLink(isIpc: false),
        "jsonrpc-ipc" => new JsonRpcLink(isIpc: true),
        _ => throw new FormatException($"There is no transport '{transport}'."),
    };

    public static void Send(RingWriter writer, ReadOnlySpan<byte> bytes, bool more)
    {
        if (!writer.TryClaim(bytes.Length, out Span<byte> payload))
            Check(writer.Claim(bytes.Length, out payload, Deadline.After(s_patience)));
        bytes.CopyTo(payload);
        if (more)
            writer.CommitBatched(bytes.Length, 1);
        else
            writer.Commit(bytes.Length, 1);
    }

    public static ReadOnlySpan<byte> Receive(RingReader reader)
    {
        if (!reader.TryRead(out RingRecord record))
            Check(reader.Read(out record, Deadline.After(s_patience)));
        return record.Payload;
    }

    public static void Check(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new IOException($"The other end: {status}.");
    }
}
