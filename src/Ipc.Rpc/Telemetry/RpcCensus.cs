using System.Diagnostics;
#if NET
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
#endif

namespace Ipc.Rpc;

/// <summary>The connections that this process has, counted when a collector of metrics asks.</summary>
/// <remarks>Connections register when they begin and end; what they carry and which calls are pending they know anyway.
/// Those that were dropped without being closed are forgotten by the garbage collector, and their bytes with
/// them.</remarks>
internal static class RpcCensus
{
    /// <summary>The value of the attribute <c>ipc.rpc.side</c>.</summary>
    public static string SideOf(bool atServer) => atServer ? "server" : "client";

    /// <summary>A connection has begun.</summary>
    [Conditional("NET")]
    public static void Add(ICountedConnection connection)
    {
#if NET
        lock (s_live)
        {
            s_live.RemoveAll(static weak => !weak.TryGetTarget(out _));
            s_live.Add(new WeakReference<ICountedConnection>(connection));
        }
#endif
    }

    /// <summary>A connection has ended. Any number of times.</summary>
    [Conditional("NET")]
    public static void Remove(ICountedConnection connection)
    {
#if NET
        lock (s_live)
        {
            int found = s_live.RemoveAll(
                weak => weak.TryGetTarget(out ICountedConnection? other) && ReferenceEquals(other, connection));
            if (found == 0)
                return;

            var key = (connection.Name, connection.AtServer);
            s_past[key] = Sum(s_past, key, connection);
        }
#endif
    }

#if NET
    private static readonly List<WeakReference<ICountedConnection>> s_live = new(); // under its own lock, as
    // what ended connections have carried
    private static readonly Dictionary<(string Name, bool AtServer), (long Sent, long Received, long Wakes)> s_past =
        new();

    /// <summary>Makes the instruments.</summary>
    public static void AddTo(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            "ipc.rpc.connections", Connections, "{connection}", "Connections that are open.");
        meter.CreateObservableUpDownCounter(
            "ipc.rpc.calls.pending", PendingCalls, "{call}", "Calls that have been sent, or taken, and not answered.");
        meter.CreateObservableCounter("ipc.rpc.io", Bytes, "By", "Bytes of frames, as they stood in shared memory.");
        meter.CreateObservableCounter(
            "ipc.rpc.wakes",
            Wakes,
            "{wake}",
            "How often a frame found the other side asleep: all others cost no system call.");
    }

    private static List<Measurement<long>> Connections() => Sum(static _ => 1);

    private static List<Measurement<long>> PendingCalls() => Sum(static connection => connection.PendingCalls);

    private static List<Measurement<long>> Bytes()
    {
        var measured = new List<Measurement<long>>();
        foreach (var ((name, atServer), (sent, received, _)) in Totals())
        {
            measured.Add(
                new Measurement<long>(
                    sent,
                    Tag("ipc.name", name),
                    Tag("ipc.rpc.side", SideOf(atServer)),
                    Tag("network.io.direction", "transmit")));
            measured.Add(
                new Measurement<long>(
                    received,
                    Tag("ipc.name", name),
                    Tag("ipc.rpc.side", SideOf(atServer)),
                    Tag("network.io.direction", "receive")));
        }

        return measured;
    }

    private static List<Measurement<long>> Wakes()
    {
        var measured = new List<Measurement<long>>();
        foreach (var ((name, atServer), (_, _, wakes)) in Totals())
            measured.Add(new Measurement<long>(wakes, Tag("ipc.name", name), Tag("ipc.rpc.side", SideOf(atServer))));
        return measured;
    }

    /// <summary>What the connections that have ended and those that live have done, by name and side.</summary>
    private static Dictionary<(string Name, bool AtServer), (long Sent, long Received, long Wakes)> Totals()
    {
        lock (s_live)
        {
            var sums = new Dictionary<(string Name, bool AtServer), (long Sent, long Received, long Wakes)>(s_past);
            foreach (WeakReference<ICountedConnection> weak in s_live)
            {
                if (weak.TryGetTarget(out ICountedConnection? connection))
                    sums[(connection.Name, connection.AtServer)] = Sum(
                        sums, (connection.Name, connection.AtServer), connection);
            }

            return sums;
        }
    }

    private static (long Sent, long Received, long Wakes) Sum(
        Dictionary<(string Name, bool AtServer), (long Sent, long Received, long Wakes)> before,
        (string Name, bool AtServer) key,
        ICountedConnection connection)
    {
        (long sent, long received, long wakes) = before.TryGetValue(key, out (long Sent, long Received, long Wakes) sum)
            ? sum
            : default;
        return (sent + connection.BytesSent, received + connection.BytesReceived, wakes + connection.Wakes);
    }

    private static List<Measurement<long>> Sum(Func<ICountedConnection, long> number)
    {
        var sums = new Dictionary<(string Name, bool AtServer), long>();
        lock (s_live)
        {
            foreach (var key in s_past.Keys)
                sums[key] = 0; // a server that everybody has left has 0 connections, not none to tell
            foreach (WeakReference<ICountedConnection> weak in s_live)
            {
                if (!weak.TryGetTarget(out ICountedConnection? connection))
                    continue;

                var key = (connection.Name, connection.AtServer);
                sums[key] = (sums.TryGetValue(key, out long sum) ? sum : 0) + number(connection);
            }
        }

        var measured = new List<Measurement<long>>(sums.Count);
        foreach (var ((name, atServer), sum) in sums)
            measured.Add(new Measurement<long>(sum, Tag("ipc.name", name), Tag("ipc.rpc.side", SideOf(atServer))));
        return measured;
    }

    private static KeyValuePair<string, object?> Tag(string key, string value) => new(key, value);
#endif
}
