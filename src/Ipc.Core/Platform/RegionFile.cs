using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>An open region file: what the locks belong to. Closing it drops every lock taken through it.</summary>
internal sealed class RegionFile : IDisposable
{
    private readonly FileStream _stream;

    public RegionFile(
        FileStream stream,
        RegionIdentity identity,
        long length,
        string? stranger,
        bool isRegular,
        string? temporaryPath = null,
        long memoryBytes = 0,
        uint? user = null,
        uint? group = null,
        bool isOpenToAll = false)
    {
        _stream = stream;
        Identity = identity;
        Length = length;
        Stranger = stranger;
        IsRegular = isRegular;
        TemporaryPath = temporaryPath;
        MemoryBytes = memoryBytes;
        User = user;
        Group = group;
        IsOpenToAll = isOpenToAll;
    }

    public SafeHandle Handle => _stream.SafeFileHandle;
    public FileStream Stream => _stream;
    public RegionIdentity Identity { get; }

    /// <summary>Its size when it was opened.</summary>
    public long Length { get; }

    /// <summary>What was behind it when it was opened: holes count for nothing.</summary>
    public long MemoryBytes { get; }

    /// <summary>In words, who owns it; <see langword="null"/>: this user.</summary>
    public string? Stranger { get; }

    /// <summary>Who owns it, as the kernel says; <see langword="null"/> where users have no numbers.</summary>
    public uint? User { get; }

    /// <summary>Its group, likewise.</summary>
    public uint? Group { get; }

    /// <summary>Everybody can write it.</summary>
    public bool IsOpenToAll { get; }

    public bool IsRegular { get; }

    /// <summary>Where a file system without unnamed files keeps it until it has its name.</summary>
    public string? TemporaryPath { get; }

    /// <summary>Reads the first bytes once; they are hostile and may change afterwards. Returns how many there
    /// were.</summary>
    public int ReadStart(byte[] buffer)
    {
        _stream.Position = 0;
        int total = 0;
        while (total < buffer.Length)
        {
            int count = _stream.Read(buffer, total, buffer.Length - total);
            if (count == 0)
                break;
            total += count;
        }

        return total;
    }

    public void Dispose() => _stream.Dispose();
}
