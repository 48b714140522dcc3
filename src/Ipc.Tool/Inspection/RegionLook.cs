using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>A region's file, open for reading alone.</summary>
/// <remarks>
/// <para>
/// Looking must disturb nobody, and nobody must be able to hurt who looks. So the file is read, not mapped: reading makes no holes present, as
/// touching a mapping would, and a file that is cut short meanwhile is an error and not a SIGBUS. No lock is ever taken; who holds one is asked
/// for by F_OFD_GETLK, which changes nothing.
/// </para>
/// <para>
/// What is read is a private copy, checked and then used. Others go on writing: two reads are of two moments, and whoever needs them to fit
/// looks again (see <see cref="RingInspector"/>).
/// </para>
/// </remarks>
internal sealed unsafe class RegionLook : IDisposable
{
    private const long FirstParticipantLock = 0x4000000000000000;
    private const long RegionLock = 0x3FFFFFFFFFFFFFFF;

    private readonly RegionFile _file;

    public RegionLook(RegionFile file)
    {
        _file = file;
        Size = (ulong)file.Length;
    }

    /// <summary>Of the file, when it was opened.</summary>
    public ulong Size { get; }

    public RegionFile File => _file;

    /// <summary>Set once the header was found to be one.</summary>
    public RegionGeometry Geometry { get; set; }

    public ulong Body => Geometry.BodyOffset;

    public ulong BodyEnd => Geometry.BodyOffset + Geometry.BodySize;

    public bool IsRegionLocked => Os.Current.IsLockedByAnother(_file, RegionLock);

    public bool IsParticipantLocked(int index) => Os.Current.IsLockedByAnother(_file, FirstParticipantLock + index);

    /// <summary>Copies a structure. Throws <see cref="DamageException"/> when it would not lie in the region.</summary>
    public T Read<T>(ulong offset, string what)
        where T : unmanaged
    {
        T value;
        Read(offset, new Span<byte>(&value, sizeof(T)), what);
        return value;
    }

    public void Read(ulong offset, Span<byte> to, string what)
    {
        if (offset > Size || (ulong)to.Length > Size - offset)
            throw new DamageException($"{what} at {offset} (+{to.Length}) lies outside the region of {Size} bytes");
        fixed (byte* bytes = to)
            Os.Current.ReadFile(_file, offset, bytes, to.Length);
    }

    public uint U32(ulong offset, string what) => Read<uint>(offset, what);

    public ulong U64(ulong offset, string what) => Read<ulong>(offset, what);

    /// <summary>The first bytes, as many as there are and are asked for.</summary>
    public byte[] Start(int count)
    {
        byte[] start = new byte[Math.Min((long)Size, count)];
        int read = _file.ReadStart(start);
        return read == start.Length ? start : start[..read];
    }

    public void Dispose() => _file.Dispose();
}
