using System;
using System.Buffers.Binary;

namespace Ticker;

/// <summary>A price as both languages write it: 16 bytes, little-endian; the symbol is the message's key.</summary>
internal static class Price
{
    public const int Size = 16;
    public const ushort Type = 1;

    /// <summary>The last message of a writer; its key is the number of prices that it wrote.</summary>
    public const ushort End = 2;

    public static readonly string[] Symbols = ["EURUSD", "GBPUSD", "USDJPY", "USDCHF", "AUDUSD", "USDCAD", "NZDUSD", "EURGBP"];

    public static void Write(Span<byte> bytes, double price, long number)
    {
        BinaryPrimitives.WriteInt64LittleEndian(bytes, BitConverter.DoubleToInt64Bits(price));
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], number);
    }

    public static (double Price, long Number) Read(ReadOnlySpan<byte> bytes) =>
        (BitConverter.Int64BitsToDouble(BinaryPrimitives.ReadInt64LittleEndian(bytes)), BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]));
}
