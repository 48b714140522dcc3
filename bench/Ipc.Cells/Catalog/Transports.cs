using System;
using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>What carries messages, as far as the rules of the catalogue need to know it.</summary>
internal static class Transports
{
    /// <summary>Ours, whose ends learn when to spin; from the bare ring to calls.</summary>
    public static IReadOnlyList<string> Ours { get; } = ["ring", "connection", "queue", "topic", "named", "tcp", "duplexpipe", "rpc"];

    /// <summary>Of the system, with a length before each message.</summary>
    public static IReadOnlyList<string> Sockets { get; } = ["fifo", "uds", "tcp-loopback"];

    /// <summary>Of others, with threads and waiting of their own; "-ipc" carried by us.</summary>
    public static IReadOnlyList<string> Frameworks { get; } = ["http2-uds", "http2-ipc", "grpc-uds", "grpc-ipc", "jsonrpc-uds", "jsonrpc-ipc"];

    public static IReadOnlyList<string> All { get; } = [.. Ours, .. Sockets, .. Frameworks];

    /// <summary>It carries bytes of whatever sort.</summary>
    public static bool CarriesBytes(string transport) => !IsCall(transport) && !Is(transport, "http2");

    /// <summary>It has a serializer by its nature.</summary>
    public static bool IsCall(string transport) => transport == "rpc" || Is(transport, "grpc") || Is(transport, "jsonrpc");

    public static bool HoldsSerializer(string transport) => transport == "rpc" || Is(transport, "jsonrpc");

    public static bool IsFramework(string transport) => Frameworks.Contains(transport);

    public static bool IsSocket(string transport) => Sockets.Contains(transport);

    public static bool Is(string transport, string family) => transport.StartsWith(family + "-", StringComparison.Ordinal);

    /// <summary>What a reader of charts sees.</summary>
    public static string Label(string transport) => transport switch
    {
        "fifo" => "named pipe",
        "uds" => "Unix socket",
        "tcp-loopback" => "TCP loopback",
        "tcp" => "Ipc.Tcp",
        "named" => "named connection",
        "duplexpipe" => "IDuplexPipe",
        "rpc" => "call",
        "http2-uds" => "HTTP/2, Unix socket",
        "http2-ipc" => "HTTP/2, Ipc",
        "grpc-uds" => "gRPC, Unix socket",
        "grpc-ipc" => "gRPC, Ipc",
        "jsonrpc-uds" => "StreamJsonRpc, Unix socket",
        "jsonrpc-ipc" => "StreamJsonRpc, Ipc",
        _ => transport,
    };
}
