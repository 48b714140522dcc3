using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ipc.Matrix.Cells;

/// <summary>Where and with what a run was made.</summary>
internal static class Surroundings
{
    /// <summary>More processors than this that work for others, and the figures are not those of this machine.</summary>
    public const double Busy = 0.25;

    private const int Idle = 3, Waiting = 4; // fields of the first line of /proc/stat, its name left out

    private static readonly TimeSpan s_glance = TimeSpan.FromMilliseconds(500);

    /// <summary>How many processors are busy, over half a second: not the load average, which remembers the build of a minute ago.</summary>
    public static double Load()
    {
        long[] before = Times();
        Thread.Sleep(s_glance);
        long[] after = Times();
        double all = after.Sum() - before.Sum(), idle = after[Idle] + after[Waiting] - before[Idle] - before[Waiting];
        return all > 0 ? Math.Round(Environment.ProcessorCount * (1 - idle / all), 2) : 0;
    }

    public static string Kernel() => File.ReadAllText("/proc/sys/kernel/osrelease").Trim();

    public static SortedDictionary<string, string> Versions() => new(StringComparer.Ordinal)
    {
        [".NET"] = RuntimeInformation.FrameworkDescription,
        ["Ipc"] = Of(typeof(RingWriter)),
        ["Google.Protobuf"] = Of(typeof(global::Google.Protobuf.IMessage)),
        ["protobuf-net"] = Of(typeof(ProtoBuf.Serializer)),
        ["MessagePack"] = Of(typeof(MessagePack.MessagePackSerializer)),
        ["MemoryPack"] = Of(typeof(MemoryPack.MemoryPackSerializer)),
        ["StreamJsonRpc"] = Of(typeof(StreamJsonRpc.JsonRpc)),
        ["Grpc.AspNetCore"] = Of(typeof(Grpc.AspNetCore.Server.GrpcServiceOptions)),
        ["Grpc.Net.Client"] = Of(typeof(Grpc.Net.Client.GrpcChannel)),
    };

    public static SortedDictionary<string, string> Settings(Plan plan, bool quick, Cores cores) => new(StringComparer.Ordinal)
    {
        ["run"] = quick ? "quick" : "full",
        ["rounds"] = plan.Rounds.ToString(CultureInfo.InvariantCulture),
        ["round_ms"] = plan.RoundTime.TotalMilliseconds.ToString(CultureInfo.InvariantCulture),
        ["warm_up_ms"] = plan.WarmUp.TotalMilliseconds.ToString(CultureInfo.InvariantCulture),
        ["cores"] = $"measuring {cores.Measuring}, answering {cores.Answering}; every thread of a process is on its core",
        ["capacity"] = $"{Links.Capacity} bytes for each ring and socket buffer",
        ["frequency"] = Governor(),
    };

    private static string Of(Type type)
    {
        string version = type.Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? type.Assembly.GetName().Version!.ToString();
        return version.Split('+')[0];
    }

    /// <summary>user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.</summary>
    private static long[] Times() =>
        [.. File.ReadLines("/proc/stat").First().Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Take(8).Select(static text => long.Parse(text, CultureInfo.InvariantCulture))];

    private static string Governor()
    {
        const string Path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        return File.Exists(Path) ? File.ReadAllText(Path).Trim() : "not told by this system";
    }
}
