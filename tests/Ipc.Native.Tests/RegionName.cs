using System;
using System.Runtime.CompilerServices;

namespace Ipc.Native.Tests;

/// <summary>A name that no other test of this machine has.</summary>
internal static class RegionName
{
    public static string Of([CallerMemberName] string test = "") => "native." + Environment.ProcessId + "." + test;
}
