using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>The bytes of docs/rpc-protocol.md section 1, typed once more: what is sent here was made by neither implementation.</summary>
internal static class Wire
{
    public const byte Request = 1, Response = 2, Error = 3, Item = 4, End = 5, Credit = 6, Cancel = 7, Ping = 8, Pong = 9, Progress = 10, Read = 11;

    public const byte OneWay = 0x01, Callback = 0x02, Head = 0x04, ClientStream = 0x08, Format1 = 0x10, Format2 = 0x20, Format3 = 0x30;

    public const int HeaderSize = 24, MaxHead = 16384;

    public static byte[] Frame(byte kind, ulong call, byte[]? body = null, byte flags = 0, ushort code = 0, uint method = 0, ulong deadline = 0)
    {
        var frame = new byte[HeaderSize + (body?.Length ?? 0)];
        frame[0] = kind;
        frame[1] = flags;
        BinaryPrimitives.WriteUInt16LittleEndian(frame.AsSpan(2), code);
        BinaryPrimitives.WriteUInt32LittleEndian(frame.AsSpan(4), method);
        BinaryPrimitives.WriteUInt64LittleEndian(frame.AsSpan(8), call);
        BinaryPrimitives.WriteUInt64LittleEndian(frame.AsSpan(16), deadline);
        body?.CopyTo(frame, HeaderSize);
        return frame;
    }

    /// <summary>A request to a method of tests.v1.</summary>
    public static byte[] Ask(string method, ulong call, byte[]? body = null, byte flags = 0, ushort credit = 0, ulong deadline = 0)
        => Frame(Request, call, body, flags, credit, MethodId("tests.v1/" + method), deadline);

    public static uint MethodId(string fullName)
        => Encoding.UTF8.GetBytes(fullName).Aggregate(2166136261u, static (hash, b) => unchecked((hash ^ b) * 16777619));

    /// <summary>What an item counts for.</summary>
    public static long Cost(byte[] body) => (8 + HeaderSize + body.Length + 63) / 64 * 64;

    /// <summary>A protobuf field of type bytes.</summary>
    public static byte[] Bytes(int field, params byte[] value) => [(byte)(field << 3 | 2), .. Varint((uint)value.Length), .. value];

    public static byte[] Text(int field, string value) => Bytes(field, Encoding.UTF8.GetBytes(value));

    /// <summary>A protobuf field of type int32.</summary>
    public static byte[] Number(int field, int value) => [(byte)(field << 3), .. Varint((uint)value)];

    public static byte[] Varint(uint value)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
            bytes.Add((byte)(value | 0x80));
        bytes.Add((byte)value);
        return [.. bytes];
    }

    /// <summary>A head's length before it, and a message behind it.</summary>
    public static byte[] WithHead(byte[] head, byte[]? message = null, int? saying = null)
    {
        var length = new byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(length, saying ?? head.Length);
        return [.. length, .. head, .. message ?? []];
    }

    /// <summary>An entry of the metadata, as a field of a head.</summary>
    public static byte[] Entry(string key, params byte[] value) => Bytes(3, [.. Text(1, key), .. Bytes(2, value)]);

    /// <summary>Groups of an unknown field inside each other.</summary>
    public static byte[] Nested(int depth) => [.. Enumerable.Repeat((byte)0x4B, depth), .. Enumerable.Repeat((byte)0x4C, depth)];
}
