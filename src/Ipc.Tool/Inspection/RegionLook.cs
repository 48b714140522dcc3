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
internal unsafe class RegionLook : IDisposable
{
    private const ulong RegionStateOffset = 128;
    private const long RegionLock = 0x3FFFFFFFFFFFFFFF;

    private readonly RegionFile? _file;

    public RegionLook(RegionFile file)
    {
        _file = file;
        Size = (ulong)file.Length;
    }

    /// <summary>Reading what is a hole makes it present.</summary>
    public virtual bool MakesPresent => false;

    /// <summary>Of what is not read from a file.</summary>
    protected RegionLook(ulong size) => Size = size;

    /// <summary>Opens a region that was looked at, with its parts checked again: another may have its name by now.</summary>
    public static RegionLook Open(RegionReport report)
    {
        var look = new RegionLook(Os.Current.OpenFileToLook(report.Path) ?? throw new ToolException(ExitCode.NotFound, $"{report.Path} has gone."));
        try
        {
            look.Geometry = RegionGeometry.Check(look.Start(RegionGeometry.CheckedBytes), look.File.Length, KindNames.Kind(report.Kind), report.Path);
            return look;
        }
        catch
        {
            look.Dispose();
            throw;
        }
    }

    /// <summary>Nobody will use it any more: who opens its name makes a new one.</summary>
    public bool HasEnded => U32(RegionStateOffset, "the state") != RegionHeader.Live;

    /// <summary>Of the file, when it was opened.</summary>
    public ulong Size { get; }

    public RegionFile File => _file ?? throw new DamageException("it has no file");

    /// <summary>Set once the header was found to be one.</summary>
    public RegionGeometry Geometry { get; set; }

    public ulong Body => Geometry.BodyOffset;

    public ulong BodyEnd => Geometry.BodyOffset + Geometry.BodySize;

    public bool IsRegionLocked => Os.Current.IsLockedByAnother(File, RegionLock);

    public bool IsParticipantLocked(int index) => Os.Current.IsPlaceTaken(File, index);

    /// <summary>Copies a structure. Throws <see cref="DamageException"/> when it would not lie in the region.</summary>
    public T Read<T>(ulong offset, string what)
        where T : unmanaged
    {
        T value;
        Read(offset, new Span<byte>(&value, sizeof(T)), what);
        return value;
    }

    public virtual void Read(ulong offset, Span<byte> to, string what)
    {
        if (offset > Size || (ulong)to.Length > Size - offset)
            throw new DamageException($"{what} at {offset} (+{to.Length}) lies outside the region of {Size} bytes");
        fixed (byte* bytes = to)
            Os.Current.ReadFile(File, offset, bytes, to.Length);
    }

    public uint U32(ulong offset, string what) => Read<uint>(offset, what);

    public ulong U64(ulong offset, string what) => Read<ulong>(offset, what);

    /// <summary>The first bytes, as many as there are and are asked for.</summary>
    public virtual byte[] Start(int count)
    {
        byte[] start = new byte[Math.Min((long)Size, count)];
        int read = File.ReadStart(start);
        return read == start.Length ? start : start[..read];
    }

    public virtual void Dispose() => _file?.Dispose();
}
