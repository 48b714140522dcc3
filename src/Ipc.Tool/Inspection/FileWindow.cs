using System;
using System.Buffers.Binary;

namespace Ipc.Tool;

/// <summary>Reads words at rising offsets, many with one call of the system. A picture: read anew when it must be of now.</summary>
internal sealed class FileWindow(RegionLook look, int size)
{
    private const ulong Page = 4096;

    private readonly byte[] _bytes = new byte[size];
    private ulong _start;
    private int _length;

    public ulong U64(ulong offset, string what) => BinaryPrimitives.ReadUInt64LittleEndian(Bytes(offset, 8, what));

    public ReadOnlySpan<byte> Bytes(ulong offset, int count, string what)
    {
        if (offset < _start || offset + (ulong)count > _start + (ulong)_length)
        {
            _length = 0;
            // Of a mapping no further than the page: what lies behind it may be a hole, and to read it there would make it present.
            ulong most = look.MakesPresent ? Page - offset % Page : (ulong)_bytes.Length;
            int length = (int)Math.Min(Math.Max(Math.Min(most, (ulong)_bytes.Length), (ulong)count), offset < look.Size ? look.Size - offset : 0);
            if (length < count)
                throw new DamageException($"{what} at {offset} (+{count}) lies outside the region of {look.Size} bytes");
            look.Read(offset, _bytes.AsSpan(0, length), what);
            _start = offset;
            _length = length;
        }

        return _bytes.AsSpan((int)(offset - _start), count);
    }
}
