using System;

namespace Ipc.Pipelines.Peer;

/// <summary>Bytes that say where they are: any piece of a stream can be checked by its position.</summary>
public static class Content
{
    public static byte At(long position) => (byte)((position * 31) ^ (position >> 8) ^ (position >> 17));

    public static void Fill(Span<byte> bytes, long position)
    {
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = At(position + i);
    }

    /// <summary>The first position that is not as it should be; -1 when all are.</summary>
    public static long Wrong(ReadOnlySpan<byte> bytes, long position)
    {
        for (int i = 0; i < bytes.Length; i++)
        {
            if (bytes[i] != At(position + i))
                return position + i;
        }

        return -1;
    }
}
