using System;
using System.Buffers.Binary;

namespace Ipc.Peer.Drive;

/// <summary>Contents that the test can compute too. The formulas stand at the top of tests/peers/c/drive.c.</summary>
internal static class Content
{
    public static void FillPattern(Span<byte> bytes, uint seed)
    {
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)(seed * 17u + (uint)i * 3u + (uint)(i >> 8));
    }

    public static uint Hash(ReadOnlySpan<byte> bytes)
    {
        uint hash = 2166136261u;
        foreach (byte b in bytes)
            hash = (hash ^ b) * 16777619u;
        return hash;
    }

    public static int NumberedLength(ulong n, int max) => 8 + (int)((((uint)n * 2654435761u) >> 8) % (uint)(max - 7));

    public static void FillNumbered(Span<byte> bytes, ulong n)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, n);
        for (int i = 8; i < bytes.Length; i++)
            bytes[i] = (byte)(n + (ulong)i);
    }

    public static bool IsNumbered(ReadOnlySpan<byte> bytes, out ulong n)
    {
        n = 0;
        if (bytes.Length < 8)
            return false;
        n = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        for (int i = 8; i < bytes.Length; i++)
        {
            if (bytes[i] != (byte)(n + (ulong)i))
                return false;
        }
        return true;
    }
}
