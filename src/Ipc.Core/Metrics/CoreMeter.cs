using System.Collections.Generic;
using System.Diagnostics;
#if NET
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
#endif

namespace Ipc;

/// <summary>The meter "Ipc.Core": what the structures that this process has open go through, for whoever collects
/// metrics.</summary>
/// <remarks>
/// <para>
/// Nothing is measured for it. What is counted stands in shared memory anyway, and is read when a listener asks
/// (<c>Metered</c>; the instruments of queues and topics stand with these); the rest is rare (a death, a message that
/// was overwritten).
/// </para>
/// <para>
/// Not in the netstandard2.0 build: meters are not part of that framework, and the package that has them would bring
/// the first binding redirect to .NET Framework programs.
/// </para>
/// </remarks>
internal static class CoreMeter
{
    public const string Messages = "{message}";
    public const string NameTag = "ipc.name";

#if NET
    public static readonly Meter Instance = Create();

    private static readonly Counter<long> s_deaths = Instance.CreateCounter<long>(
        "ipc.participant.deaths", "{participant}", "Participants that died and that this process has cleaned up for.");
    private static readonly Counter<long> s_lost = Instance.CreateCounter<long>(
        "ipc.topic.lost",
        Messages,
        "Messages that readers of this process did not get: overwritten, or missed after being cut off.");
#endif

    /// <summary>A reader of this process has lost messages.</summary>
    [Conditional("NET")]
    public static void Lost(string name, ulong count)
    {
#if NET
        if (s_lost.Enabled)
            s_lost.Add((long)count, new KeyValuePair<string, object?>(NameTag, name));
#endif
    }

    /// <summary>This process has cleaned up for a participant that died.</summary>
    [Conditional("NET")]
    public static void Died(string name)
    {
#if NET
        if (s_deaths.Enabled)
            s_deaths.Add(1, new KeyValuePair<string, object?>(NameTag, name));
#endif
    }

#if NET
    /// <summary>The runtime's list of meters would keep a load context that can be unloaded from ever being
    /// so.</summary>
    private static Meter Create()
    {
        var meter = new Meter("Ipc.Core", typeof(CoreMeter).Assembly.GetName().Version?.ToString(3));
        if (AssemblyLoadContext.GetLoadContext(typeof(CoreMeter).Assembly) is { IsCollectible: true } context)
            context.Unloading += _ => meter.Dispose();
        return meter;
    }
#endif
}
