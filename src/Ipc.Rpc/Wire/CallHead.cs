using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>What travels with a message and is not its own: trace context, metadata, the name of a format.</summary>
/// <remarks>In front of a message in a frame with <see cref="FrameFlags.Head"/>: 4 bytes of length, then protobuf;
/// docs/rpc-protocol.md section 1.</remarks>
internal sealed class CallHead
{
    /// <summary>The longest head, without its 4 bytes of length.</summary>
    public const int MaxLength = 16 * 1024;

    /// <summary>Trace id, parent span id, flags.</summary>
    public const int TraceLength = 16 + 8 + 1;

    private const int Prefix = 4;
    private const uint TraceTag = (1 << 3) | 2;
    private const uint TraceStateTag = (2 << 3) | 2;
    private const uint MetadataTag = (3 << 3) | 2;
    private const uint FormatTag = (4 << 3) | 2;
    private const uint OnceTag = (5 << 3) | 2;
    private const uint KeyTag = (1 << 3) | 2;
    private const uint ValueTag = (2 << 3) | 2;

    /// <summary><see cref="TraceLength"/> bytes; empty for none.</summary>
    public ReadOnlyMemory<byte> Trace { get; set; }

    /// <summary>The W3C trace state; <see langword="null"/> for none.</summary>
    public string? TraceState { get; set; }

    /// <summary>Of this call, from the side that writes; <see langword="null"/> for none.</summary>
    public RpcMetadata? Metadata { get; set; }

    /// <summary>The name of a format that has no number of its own.</summary>
    public string? Format { get; set; }

    /// <summary>The id of a call that is executed once; empty for none.</summary>
    public ReadOnlyMemory<byte> Once { get; set; }

    public bool IsEmpty =>
        Trace.IsEmpty && Once.IsEmpty && string.IsNullOrEmpty(TraceState) && string.IsNullOrEmpty(Format) &&
        (Metadata is null || Metadata.Count == 0);

    /// <summary>The bytes in front of the message, the length included.</summary>
    /// <exception cref="RpcCallException">It is longer than a head may be.</exception>
    public byte[] Encode()
    {
        var target = new GrowingBuffer(256);
        var writer = new ProtoWriter(target.Bytes, target);
        if (!Trace.IsEmpty)
            writer.WriteBytes(TraceTag, Trace.Span);
        if (!string.IsNullOrEmpty(TraceState))
            writer.WriteString(TraceStateTag, TraceState!);
        if (Metadata is not null)
        {
            foreach (System.Collections.Generic.KeyValuePair<string, ReadOnlyMemory<byte>> entry in Metadata)
            {
                int start = writer.StartMessage(MetadataTag);
                writer.WriteString(KeyTag, entry.Key);
                if (!entry.Value.IsEmpty)
                    writer.WriteBytes(ValueTag, entry.Value.Span);
                writer.EndMessage(start);
            }
        }

        if (!string.IsNullOrEmpty(Format))
            writer.WriteString(FormatTag, Format!);
        if (!Once.IsEmpty)
            writer.WriteBytes(OnceTag, Once.Span);
        if (writer.Written > MaxLength)
        {
            throw new RpcCallException(
                RpcStatus.InvalidArgument,
                "Metadata and trace context of a call take " + writer.Written + " bytes; the most is " + MaxLength +
                    ".");
        }

        var bytes = new byte[Prefix + writer.Written];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, writer.Written);
        target.Bytes.AsSpan(0, writer.Written).CopyTo(bytes.AsSpan(Prefix));
        return bytes;
    }

    /// <summary>Takes the head off a frame's body.</summary>
    /// <param name="header">Says whether there is one.</param>
    /// <param name="body">The frame's body; the message alone when this returns <see langword="null"/>.</param>
    /// <param name="head">The head; <see langword="null"/> when there is none.</param>
    /// <returns>What is wrong with it; <see langword="null"/> if nothing is.</returns>
    [MethodImpl(Tiering.Optimized)]
    public static string? TryTake(in FrameHeader header, ref ReadOnlySpan<byte> body, out CallHead? head)
    {
        head = null;
        if (!header.HasHead)
            return null;
        if (body.Length < Prefix)
            return "A frame with a head has " + body.Length + " bytes of body; the head's length takes " + Prefix + ".";

        uint length = BinaryPrimitives.ReadUInt32LittleEndian(body);
        if (length > MaxLength || length > (uint)(body.Length - Prefix))
            return "A head says that it has " + length + " bytes; the frame has " + (body.Length - Prefix) +
                ", and the most is " + MaxLength + ".";

        try
        {
            head = Decode(body.Slice(Prefix, (int)length).ToArray());
        }
        catch (ProtoException e)
        {
            return "A head could not be decoded: " + e.Message;
        }

        if (!head.Trace.IsEmpty && head.Trace.Length != TraceLength)
            return "A head has a trace context of " + head.Trace.Length + " bytes; it takes " + TraceLength + ".";
        body = body.Slice(Prefix + (int)length);
        return null;
    }

    private static CallHead Decode(byte[] bytes)
    {
        var head = new CallHead();
        var reader = new ProtoReader(bytes);
        while (reader.TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case TraceTag:
                    head.Trace = reader.ReadBytes();
                    break;
                case TraceStateTag:
                    head.TraceState = reader.ReadString();
                    break;
                case MetadataTag:
                    ReadEntry(ref reader, head.Metadata ??= new RpcMetadata());
                    break;
                case FormatTag:
                    head.Format = reader.ReadString();
                    break;
                case OnceTag:
                    head.Once = reader.ReadBytes();
                    break;
                default:
                    reader.SkipField(tag);
                    break;
            }
        }

        return head;
    }

    private static void ReadEntry(ref ProtoReader reader, RpcMetadata metadata)
    {
        string key = string.Empty;
        byte[] value = Array.Empty<byte>();
        int outer = reader.StartMessage();
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == KeyTag)
                key = reader.ReadString();
            else if (tag == ValueTag)
                value = reader.ReadBytes();
            else
                reader.SkipField(tag);
        }

        reader.EndMessage(outer);
        if (!RpcMetadata.IsReceivedKey(key))
            throw new ProtoException(
                ProtoError.InvalidText, reader.Position, "A key of the metadata is not lower case ASCII.");
        metadata.AddReceived(key, value);
    }
}
