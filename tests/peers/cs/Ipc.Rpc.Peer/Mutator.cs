using System;
using System.Collections.Generic;

namespace Ipc.Rpc.Peer;

/// <summary>Makes wrong bytes of right ones, the same for the same seed on every machine.</summary>
public sealed class Mutator
{
    private static readonly byte[] _awkward = [0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x0B, 0x0C, 0x12, 0x1A];
    private readonly List<byte[]> _seeds;
    private ulong _state;

    /// <param name="seed">Tells everything that comes.</param>
    /// <param name="seeds">What is mutated, and what pieces are taken from.</param>
    public Mutator(ulong seed, IEnumerable<byte[]> seeds)
    {
        _state = seed * 0x9E3779B97F4A7C15 + 0x1234567;
        _seeds = [.. seeds];
    }

    /// <summary>A number below the limit (splitmix64: System.Random may change with the framework).</summary>
    public int Next(int limit)
    {
        _state += 0x9E3779B97F4A7C15;
        ulong mixed = (_state ^ (_state >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return (int)((mixed ^ (mixed >> 31)) % (ulong)limit);
    }

    /// <summary>One of the seeds, changed in up to four places, or not at all.</summary>
    public byte[] Next()
    {
        byte[] bytes = _seeds[Next(_seeds.Count)];
        for (int i = Next(5); i > 0; i--)
            bytes = Change(bytes);
        return bytes;
    }

    private byte[] Change(byte[] bytes)
    {
        int at = Next(bytes.Length + 1);
        byte[] changed = [.. bytes];
        switch (Next(7))
        {
            case 0 when at < bytes.Length:
                changed[at] ^= (byte)(1 << Next(8));
                return changed;
            case 1 when at < bytes.Length:
                changed[at] = _awkward[Next(_awkward.Length)];
                return changed;
            case 2:
                return bytes[..at];
            case 3:
                return [.. bytes[..at], _awkward[Next(_awkward.Length)], .. bytes[at..]];
            case 4:
                return [.. bytes[..at], .. bytes[Next(at + 1)..]]; // a piece twice
            case 5:
                byte[] other = _seeds[Next(_seeds.Count)];
                return [.. bytes[..at], .. other[Math.Min(at, other.Length)..]];
            default:
                // The header's fields are where most of the meaning is.
                int field = Next(24);
                if (field < changed.Length)
                    changed[field] = (byte)Next(256);
                return changed;
        }
    }
}
