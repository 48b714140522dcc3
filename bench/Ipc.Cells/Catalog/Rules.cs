using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>Why a cell of the whole product of the dimensions is not in the catalogue.</summary>
internal static class Rules
{
    public const int Portion = 500;

    /// <summary>What makes no sense, in any run.</summary>
    public static IReadOnlyList<Rule> Sense { get; } =
    [
        new("native-peer", "the programs of bench/native do not speak the matrix's messages yet",
            cell => cell.Pair != "cs-cs"),
        new("rival-adaptive", "a socket, a pipe and a framework have no waiting that learns: their spin and block stand beside ours",
            cell => cell.Wait == "adaptive" && !Transports.Ours.Contains(cell.Transport) && !cell.Transport.EndsWith("-ipc", StringComparison.Ordinal)),
        new("framework-spin", "ASP.NET, gRPC and StreamJsonRpc sleep in the kernel; nothing makes them spin",
            cell => cell.Wait == "spin" && Transports.IsFramework(cell.Transport)),
        new("framework-ipc-block", "over ours a framework gets the default waiting, which is adaptive",
            cell => cell.Wait == "block" && cell.Transport.EndsWith("-ipc", StringComparison.Ordinal)),
        new("tcp-spin", "six threads of exit, entrance and ends share two cores: an end that spins holds the core that they need",
            cell => cell.Transport == "tcp" && cell.Wait == "spin"),
        new("pipe-spin", "both ends of an IDuplexPipe are awaited on the pool: one that spins holds the core that its continuation needs",
            cell => cell.Transport == "duplexpipe" && cell.Wait == "spin"),
        new("http2-serializer", "HTTP/2 by itself carries bytes; gRPC is its serializer",
            cell => Transports.Is(cell.Transport, "http2") && cell.Serializer != "none"),
        new("grpc-serializer", "gRPC is measured with the classes that protoc writes",
            cell => Transports.Is(cell.Transport, "grpc") && cell.Serializer != "google"),
        new("jsonrpc-serializer", "StreamJsonRpc has formatters of its own: System.Text.Json and MessagePack",
            cell => Transports.Is(cell.Transport, "jsonrpc") && cell.Serializer is not ("json" or "messagepack")),
        new("rpc-serializer", "calls take the generated codec, the adapters of protobuf-net and MessagePack, or one field of bytes (none)",
            cell => cell.Transport == "rpc" && (cell.Serializer is "google" or "memorypack" or "json")),
        new("oneway-request", "what is sent one way has no answer to wait for",
            cell => Shape.Of(cell.Shape).IsOneWay && !cell.IsStream),
        new("framework-stream", "a stream of HTTP/2 posts or of JSON-RPC enumerations is another program: gRPC's stream is measured",
            cell => cell.IsStream && (Transports.Is(cell.Transport, "http2") || Transports.Is(cell.Transport, "jsonrpc"))),
        new("unbatched", "a queue and a topic publish each message by itself: a stream of theirs cannot be batched",
            cell => cell.IsStream && cell.IsBatched && (cell.Transport is "queue" or "topic")),
        new("stream-of-calls", "a call's stream publishes as its window allows: nobody batches it",
            cell => cell.IsStream && cell.IsBatched && Transports.IsCall(cell.Transport)),
        new("framework-batch", "a framework has no batch of its own: several calls in flight are another measurement",
            cell => cell.IsBatched && Transports.IsFramework(cell.Transport)),
        new("batch-large", "500 larger messages do not fit into what a transport holds: who sends them all before reading an answer waits for ever",
            cell => cell.IsBatched && cell.Shape is not ("0.1K-1K" or "oneway-0.1K" or "oneway-3K")),
        new("batch-steps", "batches of other sizes than 500 show the gain of batching: for one shape, without a serializer",
            cell => cell.Batch is not (1 or Portion) && (cell.Serializer != "none" || cell.Shape != "oneway-0.1K" || !cell.IsStream
                || cell.Transport is not ("ring" or "connection" or "uds") || cell.Wait == "spin")),
        new("serialized-one-way", "the streams of one-way sizes are bytes: what serializers cost is seen with the other shapes",
            cell => Shape.Of(cell.Shape).IsOneWay && cell.Serializer != "none"),
        new("serializer-transport", "what a serializer costs does not depend on who carries its bytes: with ring, Unix socket and calls",
            cell => cell.Serializer != "none" && Transports.CarriesBytes(cell.Transport) && cell.Transport is not ("ring" or "uds")),
        new("spin-large", "a message of 500 kB or more takes longer than anybody spins for",
            cell => cell.Wait == "spin" && (cell.Shape is "50K-500K" or "100K-1M" or "400K-2M")),
    ];

    /// <summary>What a quick run leaves to a full one.</summary>
    public static IReadOnlyList<Rule> Quick { get; } =
    [
        new("quick-shapes", "quick: without 50K-500K and 400K-2M; 1K-10K and 100K-1M stand for the large ones",
            cell => cell.Shape is "50K-500K" or "400K-2M"),
        new("quick-large-wait", "quick: larger shapes with one way to wait, the one that is the default there",
            cell => cell.Shape is not "0.1K-1K" && !HasDefaultWait(cell)),
        new("quick-batch-wait", "quick: batches of 500 with the default waiting",
            cell => cell.IsBatched && !HasDefaultWait(cell)),
        new("quick-serializer-wait", "quick: serializers with the default waiting",
            cell => cell.Serializer is not ("none" or "generated") && !HasDefaultWait(cell)),
        new("quick-serializer-stream", "quick: serializers in requests; in streams those of gRPC and of calls by default",
            cell => cell.Serializer is not "none" && cell.IsStream && cell.Serializer != "generated" && !Transports.Is(cell.Transport, "grpc")),
        new("quick-stream-carrier", "quick: streams of the generated codec with calls alone",
            cell => cell.Serializer == "generated" && cell.IsStream && cell.Transport != "rpc"),
        new("quick-stream-wait", "quick: streams with the default waiting",
            cell => cell.IsStream && !HasDefaultWait(cell)),
        new("quick-one-way-3K", "quick: 3 kB one way between 1 kB and 10 kB for the ring, the Unix socket and calls alone",
            cell => cell.Shape == "oneway-3K" && cell.Transport is not ("ring" or "uds" or "rpc")),
        new("quick-batched-stream", "quick: batched streams of the smallest items, which gain most",
            cell => cell.IsStream && cell.IsBatched && cell.Shape != "oneway-0.1K"),
        new("quick-serializer-batch", "quick: serializers unbatched",
            cell => cell.Serializer is not ("none" or "generated") && cell.IsBatched),
    ];

    /// <summary>The first rule that leaves the cell out; null where none does.</summary>
    public static Rule? Of(Cell cell, bool quick) =>
        Sense.FirstOrDefault(rule => rule.LeavesOut(cell)) ?? (quick ? Quick.FirstOrDefault(rule => rule.LeavesOut(cell)) : null);

    private static bool HasDefaultWait(Cell cell) => cell.Wait == Catalogue.DefaultWait(cell.Transport);
}
