using System;
using System.Runtime.CompilerServices;
using System.Text;
#if NET
using System.Buffers;
using System.Text.Unicode;
#endif

namespace Ipc.Rpc;

/// <summary>Strict UTF-8 both ways: what is not text is refused, never replaced by U+FFFD.</summary>
/// <remarks>
/// The bytes may lie in shared memory and change while they are read. Then the text is wrong or refused; nothing is
/// read or written outside the spans, which is all that is promised for a peer that does that.
/// </remarks>
internal static class Utf8Text
{
    /// <summary>No UTF-16 unit becomes more bytes than this (a surrogate pair is two units and four bytes).</summary>
    public const int MaxBytesPerChar = 3;

    private static readonly UTF8Encoding _strict = new(
        encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Encodes all of <paramref name="text"/>; returns the bytes written, or -1 for half a surrogate pair or
    /// too little room.</summary>
    public static unsafe int Encode(string text, Span<byte> destination)
    {
#if NET
        if (Ascii.FromUtf16(text, destination, out int written) == OperationStatus.Done)
            return written;
        return Utf8.FromUtf16(
            text, destination, out _, out written, replaceInvalidSequences: false) == OperationStatus.Done
            ? written
            : -1;
#else
        if (text.Length == 0)
            return 0;
        if (destination.IsEmpty)
            return -1;

        try
        {
            fixed (char* from = text)
            fixed (byte* to = destination)
                return _strict.GetBytes(from, text.Length, to, destination.Length);
        }
        catch (ArgumentException)
        {
            return -1;
        }
#endif
    }

    /// <summary>The bytes that <paramref name="text"/> takes, or -1 for half a surrogate pair.</summary>
    public static int Count(string text)
    {
        try
        {
            return _strict.GetByteCount(text);
        }
        catch (ArgumentException)
        {
            return -1;
        }
    }

    /// <summary>Decodes all of <paramref name="bytes"/>; <see langword="null"/> when they are not UTF-8.</summary>
    public static unsafe string? Decode(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
            return "";

#if NET
        // Nearly all text is ASCII: as long as its bytes, and widened straight into the string.
        if (Ascii.IsValid(bytes))
        {
            fixed (byte* from = bytes)
                return string.Create(bytes.Length, (nint)from, _widen);
        }

        if (bytes.Length <= ShortText)
            return DecodeShort(bytes);
#endif
        try
        {
            fixed (byte* from = bytes)
                return _strict.GetString(from, bytes.Length);
        }
        catch (ArgumentException) // not UTF-8, or changed between the runtime's counting pass and its decoding pass
        {
            return null;
        }
    }

#if NET
    private const int ShortText = 128;

    private static readonly unsafe SpanAction<char, nint> _widen = static (text, from)
        // what is no longer ASCII leaves the rest empty
        => Ascii.ToUtf16(new ReadOnlySpan<byte>((void*)from, text.Length), text, out _);

    /// <summary>One pass over the bytes instead of two: no counting before the allocation.</summary>
    [SkipLocalsInit]
    private static string? DecodeShort(ReadOnlySpan<byte> bytes)
    {
        Span<char> chars = stackalloc char[ShortText];
        return Utf8.ToUtf16(
            bytes, chars, out _, out int written, replaceInvalidSequences: false) == OperationStatus.Done
            ? new string(chars.Slice(0, written))
            : null;
    }
#endif
}
