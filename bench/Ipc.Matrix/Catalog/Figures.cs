using System.Collections.Generic;
using System.Linq;
using static Ipc.Matrix.Runner;
using static Ipc.Matrix.Unit;

namespace Ipc.Matrix;

/// <summary>All rows, in the order of the table. Targets are ratios to the limit, the same on every machine.</summary>
internal static class Figures
{
    private const string PingPong = "limit.pingpong64", Futex = "limit.futex", Spsc = "limit.spsc64", Copy = "limit.memcpy.1m", Stream = "limit.stream.64k";
    private const string Socket = "uds.64", SocketOneWay = "uds.oneway.64", Http = "http2.uds.64";

    public static IReadOnlyList<Figure> All { get; } =
    [
        new(PingPong, Nanoseconds, NativeLimits, Spins: true),
        new(Futex, Microseconds, NativeLimits),
        new(Spsc, MillionPerSecond, NativeLimits, Spins: true),
        new(Copy, Microseconds, NativeLimits),
        new("limit.response.1m", Microseconds, NativeLimits, Spins: true),
        new(Stream, GigabytesPerSecond, NativeLimits, Spins: true),

        new("ring.echo.64.spin.c", Nanoseconds, NativeRing, PingPong, 1.3, Socket, Spins: true),
        new("ring.echo.64.spin.cs", Nanoseconds, Managed, PingPong, 1.6, Socket, Spins: true),
        new("ring.echo.64.block.c", Microseconds, NativeRing, Futex, 1.1, Socket),
        new("ring.echo.64.block.cs", Microseconds, Managed, Futex, 1.2, Socket),
        new("ring.oneway.64.c", MillionPerSecond, NativeRing, Spsc, 0.8, SocketOneWay, Spins: true),
        new("ring.oneway.64.cs", MillionPerSecond, Managed, Spsc, 0.5, SocketOneWay, Spins: true),
        new("ring.oneway.64k.c", GigabytesPerSecond, NativeRing, Stream, 0.9, Spins: true),
        new("ring.oneway.64k.cs", GigabytesPerSecond, Managed, Stream, 0.9, Spins: true),

        new("rpc.sync.64.spin.cs", Nanoseconds, Managed, PingPong, 8, Http, Spins: true),
        new("rpc.sync.64.spin.cpp", Nanoseconds, NativeRpc, PingPong, 6, Http, Spins: true),
        new("rpc.sync.64.block.cs", Microseconds, Managed, Futex, 1.3, Http),
        new("rpc.sync.64.block.cpp", Microseconds, NativeRpc, Futex, 1.3, Http),
        new("rpc.sync.4k.spin.cs", Nanoseconds, Managed, PingPong, Spins: true),
        new("rpc.sync.4k.spin.cpp", Nanoseconds, NativeRpc, PingPong, Spins: true),
        new("rpc.response.1m.cs", Microseconds, Managed, Copy, 3, Spins: true),
        new("rpc.response.1m.cpp", Microseconds, NativeRpc, Copy, 3, Spins: true),
        new("rpc.allocated.sync.cs", BytesPerCall, Managed),

        new("pipe.64", Microseconds, Managed, Futex),
        new(Socket, Microseconds, Managed, Futex),
        new("tcp.64", Microseconds, Managed, Futex),
        new(Http, Microseconds, Managed, Futex),
        new(SocketOneWay, MillionPerSecond, Managed, Spsc),
    ];

    public static Figure Named(string name) => All.First(figure => figure.Name == name);
}
