using System;
using System.Text;

namespace Ipc.Rpc;

/// <summary>The body of an error frame: type and text, as protobuf. Written with limits, read with suspicion.</summary>
internal readonly struct ErrorBody
{
    private const uint TypeTag = (1 << 3) | 2;
    private const uint TextTag = (2 << 3) | 2;
    private const int MaxTypeBytes = 200;
    private const int MaxTextBytes = 4000;
    private const int Overhead = 16;

    public ErrorBody(string? type, string? text)
    {
        Type = type ?? string.Empty;
        Text = text ?? string.Empty;
    }

    public string Type { get; }

    public string Text { get; }

    /// <summary>The bytes, cut so that they fit into <paramref name="limit"/> whatever the exception had to say.</summary>
    public byte[] Encode(int limit)
    {
        byte[] type = Utf8(Type, Math.Min(MaxTypeBytes, Math.Max(0, limit - Overhead)));
        byte[] text = Utf8(Text, Math.Min(MaxTextBytes, Math.Max(0, limit - Overhead - type.Length)));
        var buffer = new byte[type.Length + text.Length + Overhead];
        var writer = new ProtoWriter(buffer, null);
        if (type.Length != 0)
            writer.WriteBytes(TypeTag, type); // a string's wire form is that of bytes
        if (text.Length != 0)
            writer.WriteBytes(TextTag, text);
        return buffer.AsSpan(0, writer.Written).ToArray();
    }

    /// <summary>Reads what the peer sent; if that is not an error body, the text says so.</summary>
    public static ErrorBody Decode(ReadOnlySpan<byte> body)
    {
        string type = string.Empty;
        string text = string.Empty;
        try
        {
            var reader = new ProtoReader(body);
            while (reader.TryReadTag(out uint tag))
            {
                if (tag == TypeTag)
                    type = reader.ReadString();
                else if (tag == TextTag)
                    text = reader.ReadString();
                else
                    reader.SkipField(tag);
            }
        }
        catch (ProtoException e)
        {
            text = "(the text of the error could not be decoded: " + e.Message + ") " + text;
        }

        return new ErrorBody(type, text);
    }

    private static byte[] Utf8(string text, int limit)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text); // half a surrogate pair becomes U+FFFD
        if (bytes.Length <= limit)
            return bytes;

        int end = limit;
        while (end > 0 && (bytes[end] & 0xC0) == 0x80)
            end--;
        return bytes.AsSpan(0, end).ToArray();
    }
}
