using System;
using System.IO;
using System.Runtime.InteropServices;
using Ipc.Testing.Drive;

namespace Ipc.Interop.Tests;

/// <summary>A directory of regions on a file system of its own, which is soon full.</summary>
internal sealed class SmallDisk : IDisposable
{
    private readonly string _filler;

    private SmallDisk(RegionDirectory directory)
    {
        Directory = directory;
        _filler = System.IO.Path.Combine(directory.Path, "~filler");
    }

    public RegionDirectory Directory { get; }

    /// <summary>What is free of it, in bytes.</summary>
    public long Free => new DriveInfo(Directory.Path).AvailableFreeSpace;

    /// <summary>None where file systems cannot be mounted: it takes root.</summary>
    public static SmallDisk? TryMount(int kibibytes)
    {
        RegionDirectory directory = new();
        if (Environment.IsPrivilegedProcess && Mount("tmpfs", directory.Path, "tmpfs", 0, $"size={kibibytes}k,mode=700") == 0)
            return new SmallDisk(directory);
        directory.Dispose();
        return null;
    }

    /// <summary>Takes all that is free.</summary>
    public void Fill()
    {
        using FileStream file = new(_filler, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        byte[] page = new byte[4096];
        try
        {
            while (true)
                file.Write(page);
        }
        catch (IOException)
        {
            // it is full
        }
    }

    /// <summary>Gives so many bytes of it back.</summary>
    public void Drain(int bytes)
    {
        using FileStream file = new(_filler, FileMode.Open, FileAccess.Write);
        file.SetLength(file.Length - bytes);
    }

    /// <summary>Gives it back.</summary>
    public void Drain() => File.Delete(_filler);

    public void Dispose()
    {
        _ = Unmount(Directory.Path, 2); // detached even if something still has it open
        Directory.Dispose();
    }

    [DllImport("libc", EntryPoint = "mount", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int Mount(string source, string target, string type, ulong flags, string data);

    [DllImport("libc", EntryPoint = "umount2", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int Unmount(string target, int flags);
}
