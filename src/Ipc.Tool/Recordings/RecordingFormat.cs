using System;

namespace Ipc.Tool;

/// <summary>A file of recorded messages; docs/recording-format.md has the bytes.</summary>
internal static class RecordingFormat
{
    public const ushort Major = 1, Minor = 0;

    /// <summary>Of the header without its name, and of an entry without its payload.</summary>
    public const int HeaderBytes = 32, EntryBytes = 32;

    /// <summary>A length that is no length: a region's message is never as long.</summary>
    public const uint MaxPayload = int.MaxValue - 1024;

    public const int MaxName = 1024;

    public const ushort MessageEntry = 1, LostEntry = 2, EndEntry = 3;

    public const ushort RedeliveredFlag = 1;

    /// <summary>What makes of text tools a binary file, and shows that one has changed line ends or cut off the eighth bit.</summary>
    public static ReadOnlySpan<byte> Magic => [0x89, (byte)'I', (byte)'P', (byte)'C', (byte)'R', (byte)'\r', (byte)'\n', 0x1A];

    public static int Padding(long length) => (int)(-length & 7);
}
