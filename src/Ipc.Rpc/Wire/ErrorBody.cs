using System;
using System.Collections.Generic;
using System.Text;

namespace Ipc.Rpc;

/// <summary>The body of an error frame: type, text and details, as protobuf. Written with limits, read with
/// suspicion.</summary>
internal readonly struct ErrorBody
{
    private const uint TypeTag = (1 << 3) | 2;
    private const uint TextTag = (2 << 3) | 2;
    private const int MaxTypeBytes = 200;
    private const int MaxTextBytes = 4000;
    private const int Overhead = 16;
    private const uint DetailTag = (3 << 3) | 2;
    private const uint TypeUrlTag = (1 << 3) | 2;
    private const uint ValueTag = (2 << 3) | 2;
    private const int MaxDetailBytes = 64 * 1024;

    public ErrorBody(string? type, string? text, IReadOnlyList<RpcDetail>? details = null)
    {
        Details = details ?? Array.Empty<RpcDetail>();
        Type = type ?? string.Empty;
        Text = text ?? string.Empty;
    }

    public string Type { get; }

    public string Text { get; }

    public IReadOnlyList<RpcDetail> Details { get; }

    /// <summary>The bytes, cut so that they fit into <paramref name="limit"/> whatever the exception had to
    /// say.</summary>
    public byte[] Encode(int limit)
    {
        byte[] type = Utf8(Type, Math.Min(MaxTypeBytes, Math.Max(0, limit - Overhead)));
        byte[] text = Utf8(Text, Math.Min(MaxTextBytes, Math.Max(0, limit - Overhead - type.Length)));
        int fixedSize = type.Length + text.Length + Overhead;
        int details = DetailsThatFit(Math.Min(limit - fixedSize, MaxDetailBytes), out int detailBytes);
        var buffer = new byte[fixedSize + detailBytes];
        var writer = new ProtoWriter(buffer, null);
        if (type.Length != 0)
            writer.WriteBytes(TypeTag, type); // a string's wire form is that of bytes
        if (text.Length != 0)
            writer.WriteBytes(TextTag, text);
        for (int i = 0; i < details; i++)
        {
            int start = writer.StartMessage(DetailTag);
            writer.WriteBytes(TypeUrlTag, Encoding.UTF8.GetBytes(Details[i].TypeUrl));
            writer.WriteBytes(ValueTag, Details[i].Bytes.Span);
            writer.EndMessage(start);
        }

        return buffer.AsSpan(0, writer.Written).ToArray();
    }

    /// <summary>Reads what the peer sent; if that is not an error body, the text says so.</summary>
    public static ErrorBody Decode(ReadOnlySpan<byte> body)
    {
        string type = string.Empty;
        string text = string.Empty;
        List<RpcDetail>? details = null;
        try
        {
            var reader = new ProtoReader(body);
            while (reader.TryReadTag(out uint tag))
            {
                if (tag == TypeTag)
                    type = reader.ReadString();
                else if (tag == TextTag)
                    text = reader.ReadString();
                else if (tag == DetailTag)
                    (details ??= new List<RpcDetail>()).Add(ReadDetail(ref reader));
                else
                    reader.SkipField(tag);
            }
        }
        catch (ProtoException e)
        {
            text = "(the text of the error could not be decoded: " + e.Message + ") " + text;
        }

        return new ErrorBody(type, text, details);
    }

    private static RpcDetail ReadDetail(ref ProtoReader reader)
    {
        string url = string.Empty;
        byte[] value = Array.Empty<byte>();
        int outer = reader.StartMessage();
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == TypeUrlTag)
                url = reader.ReadString();
            else if (tag == ValueTag)
                value = reader.ReadBytes();
            else
                reader.SkipField(tag);
        }

        reader.EndMessage(outer);
        return new RpcDetail(url, value);
    }

    /// <summary>How many details there is room for, in their order, and how many bytes they take at most.</summary>
    private int DetailsThatFit(int room, out int bytes)
    {
        bytes = 0;
        for (int i = 0; i < Details.Count; i++)
        {
            long next = bytes + (long)Encoding.UTF8.GetByteCount(
                Details[i].TypeUrl) + Details[i].Bytes.Length + Overhead + Overhead;
            if (next > room)
                return i;
            bytes = (int)next;
        }

        return Details.Count;
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
