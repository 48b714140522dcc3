using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Ipc.Matrix.Cells;

/// <summary>Where and with what a run was made.</summary>
internal static class Surroundings
{
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

    private static string Governor()
    {
        const string Path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        return File.Exists(Path) ? File.ReadAllText(Path).Trim() : "not told by this system";
    }
}
