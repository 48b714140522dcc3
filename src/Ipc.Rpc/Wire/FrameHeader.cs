using System;
using System.Buffers.Binary;

namespace Ipc.Rpc;

/// <summary>The 24 bytes that every frame begins with; docs/rpc-protocol.md section 1.</summary>
internal readonly struct FrameHeader
{
    public const int Size = 24;
    public const ushort RecordType = 1;
    public const byte OneWay = 1;
    public const int MaxPingBody = 64;

    public FrameHeader(FrameKind kind, ulong call, ushort code = 0, uint method = 0, ulong deadline = 0, byte flags = 0)
    {
        Kind = kind;
        Flags = flags;
        Code = code;
        Method = method;
        Call = call;
        Deadline = deadline;
    }

    public FrameKind Kind { get; }

    public byte Flags { get; }

    /// <summary>A status, or the first credit of a stream.</summary>
    public ushort Code { get; }

    /// <summary>A method id, or the number of further items.</summary>
    public uint Method { get; }

    public ulong Call { get; }

    /// <summary>A moment of the monotonic clock in nanoseconds; 0 is none.</summary>
    public ulong Deadline { get; }

    public void WriteTo(Span<byte> frame)
    {
        frame = frame.Slice(0, Size);
        BinaryPrimitives.WriteUInt64LittleEndian(frame.Slice(16), Deadline);
        BinaryPrimitives.WriteUInt64LittleEndian(frame.Slice(8), Call);
        BinaryPrimitives.WriteUInt64LittleEndian(frame, (byte)Kind | ((ulong)Flags << 8) | ((ulong)Code << 16) | ((ulong)Method << 32));
    }

    /// <summary>Takes a frame apart. Each byte of the peer's memory is read once.</summary>
    /// <param name="recordType">The type of the record that carried it.</param>
    /// <param name="frame">The record's payload.</param>
    /// <param name="fromClient">Who wrote it: some kinds are for one side only.</param>
    /// <param name="header">The parts, if it is a frame.</param>
    /// <returns>What is wrong with it; <see langword="null"/> if nothing is.</returns>
    public static string? TryRead(ushort recordType, ReadOnlySpan<byte> frame, bool fromClient, out FrameHeader header)
    {
        header = default;
        if (recordType != RecordType)
            return "A record has type " + recordType + "; a frame has type " + RecordType + ".";
        if (frame.Length < Size)
            return "A frame has " + frame.Length + " bytes; the least is " + Size + ".";

        ulong first = BinaryPrimitives.ReadUInt64LittleEndian(frame);
        header = new FrameHeader(
            (FrameKind)(byte)first,
            BinaryPrimitives.ReadUInt64LittleEndian(frame.Slice(8)),
            (ushort)(first >> 16),
            (uint)(first >> 32),
            BinaryPrimitives.ReadUInt64LittleEndian(frame.Slice(16)),
            (byte)(first >> 8));
        return Check(in header, frame.Length - Size, fromClient);
    }

    private static string? Check(in FrameHeader header, int body, bool fromClient)
    {
        bool right;
        switch (header.Kind)
        {
            case FrameKind.Request:
            case FrameKind.Credit:
            case FrameKind.Cancel:
                right = fromClient;
                break;
            case FrameKind.Response:
            case FrameKind.Error:
            case FrameKind.Item:
            case FrameKind.End:
                right = !fromClient;
                break;
            case FrameKind.Ping:
            case FrameKind.Pong:
                if (body > MaxPingBody)
                    return "A ping has " + body + " bytes of body; the most is " + MaxPingBody + ".";
                return header.Flags == 0 ? null : Reserved(header.Flags);
            default:
                return "A frame has the unknown kind " + (int)header.Kind + ".";
        }

        if (!right)
            return "A frame of kind " + header.Kind + " came from the " + (fromClient ? "client." : "server.");
        if ((header.Flags & ~(header.Kind == FrameKind.Request ? OneWay : 0)) != 0)
            return Reserved(header.Flags);
        return header.Call == 0 ? "A frame of kind " + header.Kind + " has the call id 0." : null;
    }

    private static string Reserved(byte flags) => "A frame has the reserved flags " + flags + ".";
}
