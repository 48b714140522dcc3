using System;
using System.Collections.Generic;
using Ipc.Rpc.Codec.Tests.Contract;

namespace Ipc.Rpc.Serializers.Tests.Peers;

using Formats = Ipc.Rpc.Codec.Tests.Contract.Formats; // and not the names of the three formats

/// <summary>One message of each, every field set.</summary>
internal static class Parts
{
    private static readonly DateTime _moment = new DateTime(2024, 2, 29, 23, 59, 59, DateTimeKind.Utc).AddTicks(1234567);

    public static Scalars Scalars() => new()
    {
        Flag = true,
        Int = int.MinValue,
        UInt = uint.MaxValue,
        Long = long.MinValue,
        ULong = ulong.MaxValue,
        Short = -1,
        UShort = ushort.MaxValue,
        Byte = 255,
        SByte = -128,
        Float = 1.5f,
        Double = -1e300,
        Text = "Grüße, 漢字, 😀",
        Bytes = [0, 127, 255],
        Memory = new byte[] { 42 },
        Color = Color.Infra,
        Small = SmallEnum.Max,
        TwoByteTag = -1,
        ThreeByteTag = new string('x', 200),
        FiveByteTag = Math.PI,
    };

    public static Optionals Optionals() => new() { Flag = false, Int = 0, UInt = 1, Long = -1, ULong = 0, Short = -5, UShort = 5, Byte = 0, SByte = -1, Float = 0, Double = 2.5, Text = "", Bytes = [], Color = Color.None, Small = SmallEnum.One };

    public static WellKnown WellKnown() => new()
    {
        Time = _moment,
        Span = TimeSpan.FromTicks(-12345678901),
        Id = new Guid("00112233-4455-6677-8899-aabbccddeeff"),
        Price = -12345.67890m,
        MaybeTime = DateTime.UnixEpoch.AddTicks(-1),
        MaybeSpan = TimeSpan.Zero,
        MaybeId = new Guid("ffffffff-ffff-ffff-ffff-ffffffffffff"),
        MaybePrice = 1.10m,
        Times = [DateTime.UnixEpoch, _moment],
        Spans = [TimeSpan.FromDays(1), TimeSpan.FromTicks(1)],
        Ids = new List<Guid> { new("ffffffff-ffff-ffff-ffff-ffffffffffff") },
        Prices = new List<decimal> { decimal.MaxValue, 1.10m },
        TimeOf = new() { ["epoch"] = DateTime.UnixEpoch, ["leap"] = _moment },
        PriceOf = new() { [new Guid("00112233-4455-6677-8899-aabbccddeeff")] = 9.99m },
    };

    public static Lists Lists()
    {
        var lists = new Lists
        {
            Flags = [true, false],
            Ints = [0, -1, int.MaxValue],
            UInts = new List<uint> { 0, uint.MaxValue },
            Longs = new List<long> { long.MinValue },
            ULongs = [ulong.MaxValue],
            Shorts = [-1, 1],
            Colors = [Color.Crimson, Color.Infra],
            Floats = [1.5f, -0f],
            Doubles = [0.1, double.NaN],
            MoreDoubles = new List<double> { 1 },
            Blobs = [[1, 2], []],
            Nodes = [Node()],
            Points = [new Point(1, -1), default],
            MaybeInts = [7],
            Smalls = [SmallEnum.One],
        };
        lists.Texts.AddRange(["", "a", "ß"]);
        return lists;
    }

    public static Maps Maps()
    {
        var maps = new Maps
        {
            Names = new() { [1] = "one", [-1] = "" },
            Numbers = new Dictionary<string, int> { ["zwei"] = 2, [""] = 1 },
            Rates = new Dictionary<bool, double> { [true] = 0.5 },
            Nodes = new() { [ulong.MaxValue] = Node() },
            Blobs = new() { [7] = [1, 2, 3] },
            Points = new() { [-3] = new Point(1, 2) },
        };
        maps.Colors.Add(long.MinValue, Color.Last);
        return maps;
    }

    public static Node Node() => new("root", new Node("left", null, 0, []), -7, [new Node("a", null, 1, []), new Node("", null, 2, [])]);

    public static Formats Formats() => new()
    {
        SInt = -1,
        SLong = long.MinValue,
        SFixedInt = -2,
        SFixedLong = long.MaxValue,
        FixedInt = uint.MaxValue,
        FixedLong = 1,
        SInts = [0, -1, 1],
        Fixeds = [int.MinValue, 5],
        FixedLongs = new List<ulong> { ulong.MaxValue },
        MaybeSInt = 0,
    };
}
