using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>The 24 bytes that every frame begins with; docs/rpc-protocol.md section 1.</summary>
internal readonly struct FrameHeader
{
    /// <summary>What frames are: said by both sides before the first of them.</summary>
    public static readonly ConnectionProtocol Protocol = new(ConnectionProtocol.Calls, version: 1);

    public const int Size = 24;
    public const ushort RecordType = 1;
    /// <summary>How many items of a request's stream its caller may send without having been given credit.</summary>
    public const int FirstClientCredit = 32;
    public const int MaxPingBody = 64;
    /// <summary><see cref="Method"/> of an error: no handler has seen the request, or will.</summary>
    public const uint Unhandled = 1;
    private const int LastFormat = 3; // not used

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

    /// <summary>Whether the call was made by the server: its ids are apart from those of the client's calls.</summary>
    public bool IsCallback => (Flags & FrameFlags.Callback) != 0;

    public bool IsOneWay => (Flags & FrameFlags.OneWay) != 0;

    public bool HasHead => (Flags & FrameFlags.Head) != 0;

    /// <summary>Of an error: whether it says that no handler has seen the request.</summary>
    public bool IsUnhandled => Method == Unhandled && Code == (ushort)RpcStatus.Unavailable;

    /// <summary>How the messages of a request's call are written: 0 protobuf, 1 MessagePack, 2 named in the
    /// head.</summary>
    public int Format => (Flags & FrameFlags.Format) / FrameFlags.FormatUnit;

    /// <summary>The kind of call that a request asks for.</summary>
    public RpcMethodKind CallKind
        => (Flags & FrameFlags.ClientStream) == 0
            ? Code == 0 ? RpcMethodKind.Unary : RpcMethodKind.ServerStream
            : Code == 0 ? RpcMethodKind.ClientStream : RpcMethodKind.Duplex;

    /// <summary>A status, the first credit of a stream in items, or of an item whether its sender had to wait
    /// (<see cref="FlowRules.Waited"/>).</summary>
    public ushort Code { get; }

    /// <summary>A method id; of credit the number of further items; of <see cref="FrameKind.Read"/> the bytes of items
    /// that were read; of an error perhaps <see cref="Unhandled"/>.</summary>
    public uint Method { get; }

    public ulong Call { get; }

    /// <summary>A moment of the monotonic clock in nanoseconds, 0 is none; of credit the number of further bytes; of
    /// <see cref="FrameKind.Read"/> the bytes of loans.</summary>
    public ulong Deadline { get; }

    /// <summary>What a credit frame gives.</summary>
    public ItemCredit Credit => new(Method, Deadline);

    [MethodImpl(Tiering.Optimized)]
    public void WriteTo(Span<byte> frame)
    {
        frame = frame.Slice(0, Size);
        BinaryPrimitives.WriteUInt64LittleEndian(frame.Slice(16), Deadline);
        BinaryPrimitives.WriteUInt64LittleEndian(frame.Slice(8), Call);
        BinaryPrimitives.WriteUInt64LittleEndian(
            frame, (byte)Kind | ((ulong)Flags << 8) | ((ulong)Code << 16) | ((ulong)Method << 32));
    }

    /// <summary>Takes a frame apart. Each byte of the peer's memory is read once.</summary>
    /// <param name="recordType">The type of the record that carried it.</param>
    /// <param name="frame">The record's payload.</param>
    /// <param name="fromClient">Who wrote it: some kinds are for one side only.</param>
    /// <param name="header">The parts, if it is a frame.</param>
    /// <returns>What is wrong with it; <see langword="null"/> if nothing is.</returns>
    [MethodImpl(Tiering.Optimized)]
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

    // What a set flag of the wrong kind or a frame from the wrong side means is not known to this version: nothing
    // after it can be trusted.
    [MethodImpl(Tiering.Optimized)]
    private static string? Check(in FrameHeader header, int body, bool fromClient)
    {
        bool byCaller = fromClient != header.IsCallback;
        bool right;
        switch (header.Kind)
        {
            case FrameKind.Request:
            case FrameKind.Cancel:
                right = byCaller;
                break;
            case FrameKind.Response:
            case FrameKind.Error:
            case FrameKind.Progress:
                right = !byCaller;
                break;
            case FrameKind.Item:
            case FrameKind.End:
                right = true;
                break;
            case FrameKind.Credit:
                if (header.Method == 0 && header.Deadline == 0)
                    return "A credit frame gives nothing.";
                right = true;
                break;
            case FrameKind.Read:
                return CheckRead(in header);
            case FrameKind.Ping:
            case FrameKind.Pong:
                if (body > MaxPingBody)
                    return "A ping has " + body + " bytes of body; the most is " + MaxPingBody + ".";
                return header.Flags == 0 ? null : Reserved(header.Flags);
            default:
                return "A frame has the unknown kind " + (int)header.Kind + ".";
        }

        if ((header.Flags & ~FrameFlags.Allowed(header.Kind, byCaller)) != 0 || header.Format == LastFormat)
            return Reserved(header.Flags);
        if (!right)
            return "A frame of kind " + header.Kind + (header.IsCallback ? " of a callback" : string.Empty) +
                " came from the " + (fromClient ? "client." : "server.");
        return header.Call == 0 ? "A frame of kind " + header.Kind + " has the call id 0." : null;
    }

    private static string? CheckRead(in FrameHeader header)
    {
        if (header.Flags != 0)
            return Reserved(header.Flags);
        if (header.Call != 0)
            return "A frame of kind " + header.Kind + " has the call id " + header.Call + ".";
        return header.Method == 0 ? "A frame of kind " + header.Kind + " says that nothing was read." : null;
    }

    private static string Reserved(byte flags) =>
        "A frame has the reserved flags 0x" + flags.ToString("x2", CultureInfo.InvariantCulture) + ".";
}
