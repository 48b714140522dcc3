using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;

namespace Ipc.Core.Tests;

/// <summary>A pool in a file of its own, from its second page on; all of it holes.</summary>
internal sealed unsafe class PoolMemory : IDisposable
{
    public const int Offset = 4096;

    private readonly RegionFile _file;
    private readonly string _path;

    public PoolMemory(string path, ulong budget)
    {
        _path = path;
        long size = (long)(Offset + Pool.SizeOf(budget));
        FileStream stream = new(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        stream.SetLength(size);
        _file = new RegionFile(stream, new RegionIdentity(0, 0), size, stranger: null, isRegular: true);
        View = new MappedView(_file, size);
        Pool.WriteHeader(View.Base + Offset, budget);
        Pool = Locate();
    }

    public MappedView View { get; }

    public Pool Pool { get; }

    public PoolHeader* Header => (PoolHeader*)(View.Base + Offset);

    /// <summary>Of the file, as the file system counts.</summary>
    public long BytesPresent
    {
        get
        {
            if (OperatingSystem.IsWindows())
                return GetCompressedFileSizeW(_path, out uint high) | (long)high << 32;
            using Process stat = Process.Start(new ProcessStartInfo("stat", ["-c", "%b", _path]) { RedirectStandardOutput = true })!;
            string blocks = stat.StandardOutput.ReadToEnd();
            stat.WaitForExit();
            return long.Parse(blocks, System.Globalization.CultureInfo.InvariantCulture) * 512;
        }
    }

    public Pool Locate() => Pool.Locate(View, Offset, _path, region: null);

    public PoolBlock* Block(int @class, uint index) =>
        (PoolBlock*)(View.Base + Offset + PoolHeader.TableOffset) + Pool.Geometry.FirstBlock(@class) + index;

    public void Dispose()
    {
        View.Dispose();
        _file.Dispose();
        File.Delete(_path);
    }

    [DllImport("kernel32.dll", CharSet = CharSet.Unicode, ExactSpelling = true)]
    private static extern uint GetCompressedFileSizeW(string path, out uint high);
}
