using System;
using System.Collections.Generic;
using System.Linq;
using FsCheck;
using FsCheck.Fluent;
using Ipc.Rpc.Codec.Tests.Contract;

namespace Ipc.Rpc.Codec.Tests.Generation;

/// <summary>Random scalars that favour the edges: of varint sizes, of types, of UTF-8.</summary>
internal static class Values
{
    public static readonly Gen<bool> Bools = Gen.Elements(true, false);

    public static readonly Gen<long> Longs = Gen.OneOf(
        Gen.Elements(0L, 1, -1, 127, 128, 16383, 16384, int.MaxValue, int.MinValue, uint.MaxValue, long.MaxValue, long.MinValue),
        Bits().Select(static bits => unchecked((long)bits)));

    public static readonly Gen<ulong> ULongs = Longs.Select(static v => unchecked((ulong)v));
    public static readonly Gen<int> Ints = Longs.Select(static v => unchecked((int)v));
    public static readonly Gen<uint> UInts = Longs.Select(static v => unchecked((uint)v));
    public static readonly Gen<short> Shorts = Longs.Select(static v => unchecked((short)v));
    public static readonly Gen<ushort> UShorts = Longs.Select(static v => unchecked((ushort)v));
    public static readonly Gen<byte> Bytes = Longs.Select(static v => unchecked((byte)v));
    public static readonly Gen<sbyte> SBytes = Longs.Select(static v => unchecked((sbyte)v));

    // Without -0.0: the C# reference drops its sign, this codec keeps it (NegativeZeroKeepsItsSign).
    public static readonly Gen<double> Doubles = Gen.OneOf(
        Gen.Elements(0.0, 1, -1.5, double.NaN, double.PositiveInfinity, double.NegativeInfinity, double.Epsilon, double.MaxValue),
        Longs.Select(BitConverter.Int64BitsToDouble)).Select(static v => v == 0 ? 0.0 : v);

    public static readonly Gen<float> Floats = Gen.OneOf(
        Gen.Elements(0f, 1, -1.5f, float.NaN, float.PositiveInfinity, float.Epsilon, float.MaxValue),
        Ints.Select(BitConverter.Int32BitsToSingle)).Select(static v => v == 0 ? 0f : v);

    /// <summary>Well-formed text of one to four bytes a character, around the lengths where the length prefix grows.</summary>
    public static readonly Gen<string> Texts = Gen.OneOf(
        Gen.Elements("", "a", "0", "\0", "é", "€", "😀", "\uFFFF", "\u007F\u0080\u07FF\u0800"),
        from part in Gen.Elements("a", "é", "€", "😀", "ab€")
        from count in Gen.OneOf(Gen.Choose(0, 50), Gen.Elements(41, 42, 43, 63, 64, 126, 127, 128, 129, 5461, 5462, 16383, 16384))
        select string.Concat(Enumerable.Repeat(part, count)),
        Gen.Elements("x", "ß", "漢", "𝄞", "\r\n", "\"").ArrayOf().Select(string.Concat));

    public static readonly Gen<byte[]> Blobs = Gen.OneOf(
        Gen.Choose(0, 255).Select(static v => (byte)v).ArrayOf(),
        Gen.Elements(0, 1, 127, 128, 16384).Select(static n => new byte[n]));

    public static readonly Gen<Color> Colors = Gen.Elements(Color.None, Color.DarkRed, Color.Infra, Color.Last, (Color)77, (Color)(-300));

    public static readonly Gen<SmallEnum> Smalls = Gen.Elements((SmallEnum)0, SmallEnum.One, SmallEnum.Max, (SmallEnum)200);

    public static readonly Gen<DateTime> Times = Gen.OneOf(
        Gen.Elements(DateTime.MaxValue.Ticks, DateTime.UnixEpoch.Ticks, DateTime.UnixEpoch.Ticks - 1, 1L, 0L),
        Longs.Select(static v => unchecked((long)((ulong)v % (ulong)DateTime.MaxValue.Ticks)))).Select(static t => new DateTime(t, DateTimeKind.Utc));

    public static readonly Gen<TimeSpan> Spans = Longs.Select(static v => new TimeSpan(v));

    public static readonly Gen<DateTimeOffset> Moments =
        from time in Times
        from minutes in Gen.OneOf(Gen.Constant(0), Gen.Choose(-840, 840), Gen.Elements(-840, 840, 60, -330))
        select time.Ticks + (minutes * TimeSpan.TicksPerMinute) is >= 0 and var clock && clock <= DateTime.MaxValue.Ticks
            ? new DateTimeOffset(clock, TimeSpan.FromMinutes(minutes))
            : new DateTimeOffset(time);

    public static readonly Gen<DateOnly> Days = Gen.OneOf(
        Gen.Elements(DateOnly.MinValue, DateOnly.MaxValue, new DateOnly(1970, 1, 1), new DateOnly(2024, 2, 29)), Times.Select(DateOnly.FromDateTime));

    public static readonly Gen<TimeOnly> DayTimes = Gen.OneOf(Gen.Elements(TimeOnly.MinValue, TimeOnly.MaxValue, new TimeOnly(12, 0)), Times.Select(TimeOnly.FromDateTime));

    public static readonly Gen<Uri> Addresses = Gen.Elements(
        "http://example.org/a?b=%20#c", "HTTPS://Example.ORG", "mailto:a@example.org", "urn:isbn:0451450523", "file:///tmp/x", "a/b", "/a/b", "../x", "?q", "http://m\u00fcnchen.example/\u00e4")
        .Select(static text => new Uri(text, text[0] == '/' ? UriKind.Relative : UriKind.RelativeOrAbsolute));

    public static readonly Gen<Guid> Guids = from a in Longs from b in ULongs select new Guid((int)a, (short)(a >> 32), (short)(a >> 48), BitConverter.GetBytes(b));

    public static readonly Gen<decimal> Decimals = Gen.OneOf(
        Gen.Elements(0m, 1m, -1m, 1.10m, decimal.MaxValue, decimal.MinValue, 0.0000000000000000000000000001m, 1e28m),
        from a in Ints from b in Ints from c in Ints from sign in Bools from scale in Gen.Choose(0, 28) select new decimal(a, b, c, sign, (byte)scale));

    public static Gen<T?> Maybe<T>(Gen<T> gen)
        where T : struct
        => Gen.OneOf(Gen.Constant((T?)null), gen.Select(static v => (T?)v));

    public static Gen<T?> MaybeNull<T>(Gen<T> gen)
        where T : class
        => Gen.OneOf(Gen.Constant((T?)null), gen.Select(static v => (T?)v));

    /// <summary>Up to a handful, now and then enough for a two-byte length.</summary>
    public static Gen<T[]> Few<T>(Gen<T> gen)
        => from count in Gen.Frequency((1, Gen.Constant(0)), (8, Gen.Choose(1, 5)), (1, Gen.Choose(100, 200)))
           from items in gen.ArrayOf(count)
           select items;

    /// <summary>None to three: for what is in something else.</summary>
    public static Gen<T[]> Tiny<T>(Gen<T> gen) => from count in Gen.Choose(0, 3) from items in gen.ArrayOf(count) select items;

    public static Gen<Dictionary<TKey, TValue>> Map<TKey, TValue>(Gen<TKey> keys, Gen<TValue> values)
        where TKey : notnull
        => from count in Gen.Choose(0, 4)
           from k in keys.ArrayOf(count)
           from v in values.ArrayOf(count)
           select k.Zip(v).GroupBy(static e => e.First).ToDictionary(static g => g.Key, static g => g.First().Second);

    /// <summary>Numbers of every bit length, equally often.</summary>
    private static Gen<ulong> Bits()
        => from high in Gen.Choose(0, int.MaxValue)
           from low in Gen.Choose(0, int.MaxValue)
           from shift in Gen.Choose(0, 63)
           select (((ulong)(uint)high << 33) | ((ulong)(uint)low << 2)) >> shift;
}
