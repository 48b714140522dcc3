using System;
using System.IO;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>Where a result was obtained: without it a number means nothing.</summary>
internal static class Machine
{
    public static string Describe() => $"{Processor()}, {Environment.ProcessorCount} cores{Hypervisor()}, Linux {Environment.OSVersion.Version}, .NET {Environment.Version}";

    private static string Processor() =>
        Field("model name") ?? System.Runtime.InteropServices.RuntimeInformation.ProcessArchitecture.ToString();

    private static string Hypervisor() => Field("flags")?.Split(' ').Contains("hypervisor") == true ? " (virtual machine)" : "";

    private static string? Field(string name)
    {
        string? line = File.ReadLines("/proc/cpuinfo").FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal));
        return line?[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
    }
}
