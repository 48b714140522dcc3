using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;

namespace Ipc.Rpc;

/// <summary>The id of a call that is executed once (<see cref="IpcOnceAttribute"/>): when it was made, and 128 random
/// bits.</summary>
/// <remarks>A client makes one for each call by itself. A program that wants to repeat a call after its own restart
/// makes one, writes it down (<see cref="ToString"/>), calls with <see cref="RpcClient.WithOnceId"/>, and after a
/// restart calls with the same one and the same request.</remarks>
public readonly struct RpcOnceId : IEquatable<RpcOnceId>
{
    internal const int Size = 24;

    private readonly ulong _first;
    private readonly ulong _second;

    private RpcOnceId(long ticks, ulong first, ulong second)
    {
        Ticks = ticks;
        _first = first;
        _second = second;
    }

    /// <summary>When it was made, by the clock of the machine: UTC. A server refuses ids from before what it
    /// remembers.</summary>
    public DateTime Created => new(Ticks, DateTimeKind.Utc);

    internal long Ticks { get; }

    /// <summary>Makes a new one.</summary>
    public static RpcOnceId New()
    {
        var random = new byte[16];
        using (var source = RandomNumberGenerator.Create())
            source.GetBytes(random);
        return new RpcOnceId(
            DateTime.UtcNow.Ticks,
            BinaryPrimitives.ReadUInt64LittleEndian(random),
            BinaryPrimitives.ReadUInt64LittleEndian(random.AsSpan(8)));
    }

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    /// <exception cref="FormatException">It is not 48 hexadecimal digits, or the time in it is none.</exception>
    public static RpcOnceId Parse(string text)
        => TryParse(text ?? throw new ArgumentNullException(nameof(text)), out RpcOnceId id)
            ? id
            : throw new FormatException(
                "'" + text + "' is not the id of a call: 48 hexadecimal digits, as RpcOnceId.ToString() writes them.");

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    /// <returns>Whether it is that.</returns>
    public static bool TryParse(string? text, out RpcOnceId id)
    {
        id = default;
        return text is { Length: 48 }
            && TryHex(text, 0, out ulong ticks)
            && TryHex(text, 16, out ulong first)
            && TryHex(text, 32, out ulong second)
            && TryMake(ticks, first, second, out id);
    }

    /// <inheritdoc/>
    public bool Equals(RpcOnceId other) => Ticks == other.Ticks && _first == other._first && _second == other._second;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is RpcOnceId other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => (_first ^ _second ^ (ulong)Ticks).GetHashCode();

    /// <summary>Whether both are the same.</summary>
    public static bool operator ==(RpcOnceId left, RpcOnceId right) => left.Equals(right);

    /// <summary>Whether they differ.</summary>
    public static bool operator !=(RpcOnceId left, RpcOnceId right) => !left.Equals(right);

    /// <summary>48 hexadecimal digits: later ones sort behind earlier ones.</summary>
    public override string ToString() => string.Format(
        CultureInfo.InvariantCulture, "{0:x16}{1:x16}{2:x16}", Ticks, _first, _second);

    internal byte[] ToBytes()
    {
        var bytes = new byte[Size];
        Write(bytes);
        return bytes;
    }

    internal void Write(Span<byte> bytes)
    {
        BinaryPrimitives.WriteInt64LittleEndian(bytes, Ticks);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.Slice(8), _first);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.Slice(16), _second);
    }

    internal static bool TryRead(ReadOnlySpan<byte> bytes, out RpcOnceId id)
    {
        id = default;
        return bytes.Length == Size && TryMake(
            BinaryPrimitives.ReadUInt64LittleEndian(bytes),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes.Slice(8)),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes.Slice(16)),
            out id);
    }

    private static bool TryMake(ulong ticks, ulong first, ulong second, out RpcOnceId id)
    {
        bool isTime = ticks > 0 && ticks <= (ulong)DateTime.MaxValue.Ticks;
        id = isTime ? new RpcOnceId((long)ticks, first, second) : default;
        return isTime;
    }

    private static bool TryHex(string text, int at, out ulong value)
    {
        value = 0;
        for (int i = at; i < at + 16; i++)
        {
            char c = text[i];
            int digit = c is >= '0' and <= '9' ? c - '0'
                : c is >= 'a' and <= 'f' ? c - 'a' + 10
                : c is >= 'A' and <= 'F' ? c - 'A' + 10
                : -1;
            if (digit < 0)
                return false;
            value = (value << 4) | (uint)digit;
        }

        return true;
    }
}
