using System;
using System.Globalization;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Core.Tests;

/// <summary>What is mapped where, as the kernel says: so a test can know that touching a span would kill the process without doing it.</summary>
internal static unsafe class MappedMemory
{
    /// <summary>What is behind an address: a path, "" for memory of the process alone, null for nothing.</summary>
    public static string? Behind(ReadOnlySpan<byte> span)
    {
        ulong address = (ulong)Unsafe.AsPointer(ref MemoryMarshal.GetReference(span));
        if (OperatingSystem.IsWindows())
            return OnWindows((void*)address);
        foreach (string line in File.ReadLines("/proc/self/maps"))
        {
            string[] words = line.Split(' ', 6, StringSplitOptions.RemoveEmptyEntries);
            string[] range = words[0].Split('-');
            if (address >= Hex(range[0]) && address < Hex(range[1]))
                return words.Length == 6 ? words[5] : "";
        }

        return null;
    }

    /// <summary>Whether there is memory behind all of it, in a file that has holes; it is not touched.</summary>
    public static bool IsPresent(byte* start, ulong length)
    {
        ulong from = (ulong)start & ~4095UL, to = ((ulong)start + length + 4095) & ~4095UL;
        byte[] pages = new byte[(to - from) / 4096];
        fixed (byte* states = pages)
            return InCore((void*)from, (nuint)(to - from), states) == 0 && Array.TrueForAll(pages, static state => (state & 1) != 0);
    }

    /// <summary>Everything that can be collected is, and its finalizers have run, those of what they held too.</summary>
    public static void Collect()
    {
        for (int i = 0; i < 4; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
        }
    }

    /// <summary>Which file it is does not matter to anybody.</summary>
    private static string? OnWindows(void* address)
    {
        const uint MemFree = 0x10000, MemMapped = 0x40000;
        _ = VirtualQuery(address, out PageInfo info, (nuint)sizeof(PageInfo));
        return info.State == MemFree ? null : info.Type == MemMapped ? "/" : "";
    }

    private struct PageInfo
    {
#pragma warning disable CS0649 // Windows fills it
        public nint Base, AllocationBase;
        public uint AllocationProtect, Partition;
        public nuint Size;
        public uint State, Protect, Type, Filler;
#pragma warning restore CS0649
    }

    [DllImport("libc", EntryPoint = "mincore")]
    private static extern int InCore(void* start, nuint length, byte* pages);

    [DllImport("kernel32")]
    private static extern nuint VirtualQuery(void* address, out PageInfo info, nuint size);

    private static ulong Hex(string digits) => ulong.Parse(digits, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
}
