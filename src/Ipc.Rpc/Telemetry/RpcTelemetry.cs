using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
#if NET
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
#endif

namespace Ipc.Rpc;

/// <summary>Where calls are told to whoever listens: the meter and the activity source "Ipc.Rpc", and
/// <see cref="RpcEvents"/>.</summary>
/// <remarks>
/// <para>
/// A call asks <see cref="IsOn"/> once, which reads what the three kinds of listeners have set; only if one has does it
/// go the observed way, with a <see cref="CallSpan"/>. Names, units and attributes follow OpenTelemetry's conventions
/// for RPC. Connections, pending calls and bytes cost a call nothing: they are read from the tables and rings that are
/// there anyway, when a listener asks (<see cref="RpcCensus"/>).
/// </para>
/// <para>
/// In the netstandard2.0 build there are only the events: meters and activities are not part of that framework, and the
/// package that has them would bring the first binding redirect to .NET Framework programs. The trace context of others
/// passes through it to nobody.
/// </para>
/// </remarks>
internal static class RpcTelemetry
{
    public const string System = "ipc";
    private const string Unknown = "_OTHER"; // the conventions' word for what one does not know

    /// <summary>Somebody listens.</summary>
    public static bool IsOn
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
#if NET
        get =>
            s_clientDuration.Enabled || s_serverDuration.Enabled || Source.HasListeners() || RpcEvents.Log.IsEnabled();
#else
        get => RpcEvents.Log.IsEnabled();
#endif
    }

#if NET
    private const string Name = "Ipc.Rpc";

    private static readonly string? s_version = typeof(RpcTelemetry).Assembly.GetName().Version?.ToString(3);
    private static readonly Meter s_meter = Create();

    /// <summary>Spans of calls, of kinds client and server.</summary>
    public static readonly ActivitySource Source = new(Name, s_version);

    private static readonly Histogram<double> s_clientDuration = s_meter.CreateHistogram<double>(
        "rpc.client.duration", "ms", "How long calls took, seen by the caller.");
    private static readonly Histogram<double> s_serverDuration = s_meter.CreateHistogram<double>(
        "rpc.server.duration", "ms", "How long calls took, seen by the callee.");
    private static readonly Counter<long> s_dropped = s_meter.CreateCounter<long>(
        "ipc.rpc.frames.dropped",
        "{frame}",
        "Frames that came for calls which had ended: late replies, items and credit.");
    private static readonly Counter<long> s_oneWayFailures = s_meter.CreateCounter<long>(
        "ipc.rpc.one_way.failures", "{call}", "One-way calls that failed at the callee, which no caller learns.");

    static RpcTelemetry() => RpcCensus.AddTo(s_meter);

    /// <summary>A call has ended.</summary>
    public static void Ended(RpcMethod method, bool isServer, RpcStatus status, long startedAt)
    {
        Histogram<double> histogram = isServer ? s_serverDuration : s_clientDuration;
        if (!histogram.Enabled)
            return;

        var tags = new TagList
        {
            { "rpc.system", System },
            { "rpc.service", method.Service },
            { "rpc.method", method.Name },
            { "rpc.ipc.status_code", (int)status },
        };
        if (status != RpcStatus.Ok)
            tags.Add("error.type", status.ToString());
        histogram.Record(Stopwatch.GetElapsedTime(startedAt).TotalMilliseconds, tags);
    }

    /// <summary>The runtime's lists of meters and sources would keep a load context that can be unloaded from ever
    /// being so.</summary>
    private static Meter Create()
    {
        var meter = new Meter(Name, s_version);
        if (AssemblyLoadContext.GetLoadContext(typeof(RpcTelemetry).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += _ =>
            {
                meter.Dispose();
                Source.Dispose();
                RpcEvents.Log.Dispose();
            };
        }

        return meter;
    }
#endif

    /// <summary>A frame came for a call that has ended, and was ignored.</summary>
    public static void Dropped(bool atServer)
    {
#if NET
        if (s_dropped.Enabled)
            s_dropped.Add(1, new KeyValuePair<string, object?>("ipc.rpc.side", RpcCensus.SideOf(atServer)));
#endif
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.FrameDropped(atServer);
    }

    /// <summary>A one-way call failed; nobody else learns of it.</summary>
    public static void OneWayFailed(RpcMethod? method, RpcStatus status, string text)
    {
#if NET
        if (s_oneWayFailures.Enabled)
        {
            s_oneWayFailures.Add(
                1,
                new KeyValuePair<string, object?>("rpc.service", method?.Service ?? Unknown),
                new KeyValuePair<string, object?>("rpc.method", method?.Name ?? Unknown),
                new KeyValuePair<string, object?>("error.type", status.ToString()));
        }
#endif
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.OneWayFailed(method?.FullName ?? Unknown, (int)status, text);
    }
}
