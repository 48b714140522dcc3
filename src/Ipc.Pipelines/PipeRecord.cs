using System;
using System.Text;

namespace Ipc.Pipelines;

/// <summary>The records of docs/pipe-protocol.md.</summary>
internal static class PipeRecord
{
    /// <summary>What these records are: said by both sides before the first of them.</summary>
    public static readonly ConnectionProtocol Protocol = new(ConnectionProtocol.Bytes, version: 1);

    public const ushort Data = 1;
    public const ushort End = 2;
    public const ushort Abort = 3;

    /// <summary>Bytes of UTF-8.</summary>
    public const int LongestText = 512;

    /// <summary>Application data in a hello: what the magic leaves.</summary>
    public const int LongestHello = 240 - 8;

    private const int PiecesPerRing = 8;

    private static ReadOnlySpan<byte> Magic => "ipcpipe\x01"u8;

    /// <summary>The longest data record that a writer makes: the reader has the others in hand meanwhile.</summary>
    public static int LongestPiece(RingWriter writer) => (int)(writer.Capacity / PiecesPerRing) - 8;

    public static byte[] HelloOf(ReadOnlySpan<byte> application)
    {
        if (application.Length > LongestHello)
            throw new IpcException(
                IpcStatus.InvalidArgument,
                $"A hello of {application.Length} bytes was given; {LongestHello} are possible.");
        byte[] hello = new byte[Magic.Length + application.Length];
        Magic.CopyTo(hello);
        application.CopyTo(hello.AsSpan(Magic.Length));
        return hello;
    }

    public static bool IsHello(ReadOnlySpan<byte> hello) => hello.StartsWith(Magic);

    /// <summary>What a pipe's client said besides; of a connection that was made otherwise, all of it.</summary>
    public static ReadOnlyMemory<byte> ApplicationOf(ReadOnlyMemory<byte> hello) =>
        IsHello(hello.Span) ? hello.Slice(Magic.Length) : hello;

    public static byte[] TextOf(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        int length = Math.Min(bytes.Length, LongestText);
        while (length < bytes.Length && length > 0 && (bytes[length] & 0xC0) == 0x80)
            length--; // not in the middle of a character
        return bytes.AsSpan(0, length).ToArray();
    }
}
