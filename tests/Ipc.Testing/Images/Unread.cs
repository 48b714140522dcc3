using System;
using System.Buffers.Binary;
using System.IO;

namespace Ipc.Testing.Images;

/// <summary>Whether a file that is left is one that must be: a ring or a queue that stays until it is empty, and is not. Typed again from docs/wire-format.md.</summary>
public static class Unread
{
    public static bool IsIn(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        if (U32(file, Wire.Region.Lifetime) != Wire.Region.UntilEmpty || U32(file, Wire.Region.State) != Wire.Region.StateLive)
            return false;
        long body = (long)U64(file, 32);
        return U32(file, 12) switch
        {
            Wire.Region.KindRing => InRing(file, body),
            Wire.Region.KindQueue => InQueue(file, body),
            _ => false,
        };
    }

    private static bool InRing(FileStream file, long body)
    {
        ulong capacity = U64(file, body + 8), data = U64(file, body + 16), position = U64(file, body + 256);
        ulong header = U64(file, (long)(data + position % capacity));
        if (header >> 62 == 3) // padding: the record stands at the beginning of the next lap
            header = U64(file, (long)data);
        return header != 0;
    }

    private static bool InQueue(FileStream file, long body)
    {
        long count = U32(file, body + 8), stride = (long)U64(file, body + 16), from = (long)U64(file, body + 24), segment = (long)U64(file, body + 32);
        for (long i = 0; i < U32(file, body + 128); i++)
        {
            for (long slot = 0; slot < count; slot++)
            {
                if ((U64(file, from + i * segment + slot * stride) & 0xFF) == 2) // Ready
                    return true;
            }
        }

        return false;
    }

    private static uint U32(FileStream file, long offset) => (uint)U64(file, offset);

    private static ulong U64(FileStream file, long offset)
    {
        Span<byte> bytes = stackalloc byte[8];
        file.Position = offset;
        file.ReadExactly(bytes);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }
}
