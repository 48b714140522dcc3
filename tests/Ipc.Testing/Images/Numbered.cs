using System;
using System.Buffers.Binary;

namespace Ipc.Testing.Images;

/// <summary>The contents that driven peers send and check; the formulas stand at the top of tests/peers/c/drive.c.</summary>
public static class Numbered
{
    public static int Length(ulong n, int max) => 8 + (int)((((uint)n * 2654435761u) >> 8) % (uint)(max - 7));

    public static byte[] Record(ulong n, int max)
    {
        byte[] bytes = new byte[Length(n, max)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, n);
        for (int i = 8; i < bytes.Length; i++)
            bytes[i] = (byte)(n + (ulong)i);
        return bytes;
    }

    /// <summary>The hash that a driven reader answers for a record that was filled with this seed.</summary>
    public static uint HashOfPattern(uint seed, int length)
    {
        uint hash = 2166136261u;
        for (int i = 0; i < length; i++)
            hash = (hash ^ (byte)(seed * 17u + (uint)i * 3u + (uint)(i >> 8))) * 16777619u;
        return hash;
    }

    /// <summary>The sum that driven receivers of numbered streams answer, when each number of each of these senders came once.</summary>
    public static uint SumOfStreams(int firstSender, int senders, int count)
    {
        uint sum = 0;
        for (int sender = firstSender; sender < firstSender + senders; sender++)
        {
            for (int i = 0; i < count; i++)
            {
                uint hash = 2166136261u;
                for (int b = 0; b < 64; b += 8)
                    hash = (hash ^ (byte)((((ulong)sender << 32) | (uint)i) >> b)) * 16777619u;
                sum += hash;
            }
        }
        return sum;
    }
}
