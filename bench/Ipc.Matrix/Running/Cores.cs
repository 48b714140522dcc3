using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Ipc.Matrix;

/// <summary>The two cores that the two processes of a figure are kept on.</summary>
/// <remarks>Left to itself the system moves them, now beside each other, now apart: a blocking round trip on one core takes a quarter of the time on two.</remarks>
internal sealed record Cores(int Measuring, int Answering)
{
    private const int MaskWords = 16;
    private const int NoSuchThread = 3; // ESRCH: it ended meanwhile

    public bool AreTwo => Measuring != Answering;

    /// <summary>The first two that this process may use, or twice the same one.</summary>
    public static Cores Find()
    {
        int[] allowed = Allowed();
        return new Cores(allowed[0], allowed.Length > 1 ? allowed[1] : allowed[0]);
    }

    public static Cores Parse(string text)
    {
        int[] cores = text.Split(',').Select(core => int.Parse(core, CultureInfo.InvariantCulture)).ToArray();
        return cores.Length == 2 ? new Cores(cores[0], cores[1]) : throw new FormatException($"'{text}' is not two cores such as 0,1.");
    }

    /// <summary>Keeps every thread of this process, and those that they start, on <paramref name="core"/>. The runtime and the libraries have counted the
    /// cores before: they still spin.</summary>
    public static unsafe void PinProcess(int core)
    {
        ulong* mask = stackalloc ulong[MaskWords];
        mask[core / 64] = 1ul << (core % 64);
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            int thread = int.Parse(Path.GetFileName(task), CultureInfo.InvariantCulture);
            if (SetAffinity(thread, MaskWords * sizeof(ulong), mask) != 0 && Marshal.GetLastPInvokeError() != NoSuchThread)
                throw new IOException($"sched_setaffinity to core {core} failed with error {Marshal.GetLastPInvokeError()}.");
        }
    }

    public override string ToString() => $"{Measuring},{Answering}";

    private static unsafe int[] Allowed()
    {
        ulong* mask = stackalloc ulong[MaskWords];
        if (GetAffinity(0, MaskWords * sizeof(ulong), mask) < 0)
            throw new IOException($"sched_getaffinity failed with error {Marshal.GetLastPInvokeError()}.");
        ulong[] words = new ReadOnlySpan<ulong>(mask, MaskWords).ToArray();
        return Enumerable.Range(0, MaskWords * 64).Where(core => (words[core / 64] >> (core % 64) & 1) != 0).ToArray();
    }

    [DllImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static extern unsafe int SetAffinity(int thread, nint size, ulong* mask);

    [DllImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    private static extern unsafe int GetAffinity(int thread, nint size, ulong* mask);
}
