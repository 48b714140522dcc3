using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Ipc.Rpc.Codec.Tests.Contract;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>Fixed messages that together set every field: for golden files, truncation, allocation.</summary>
internal static class Samples
{
    public static IEnumerable<(string Name, Everything Message)> All { get; } = new[]
    {
        ("empty", new Everything()),
        ("scalars-max", new Everything
        {
            Scalars = new Scalars
            {
                Flag = true,
                Int = int.MaxValue,
                UInt = uint.MaxValue,
                Long = long.MaxValue,
                ULong = ulong.MaxValue,
                Short = short.MaxValue,
                UShort = ushort.MaxValue,
                Byte = byte.MaxValue,
                SByte = sbyte.MaxValue,
                Float = float.MaxValue,
                Double = double.MaxValue,
                Text = "grüße, 漢字, 😀",
                Bytes = new byte[] { 0, 1, 127, 128, 255 },
                Memory = new byte[] { 42 },
                Color = Color.Last,
                Small = SmallEnum.Max,
                TwoByteTag = 2047,
                ThreeByteTag = new string('x', 200),
                FiveByteTag = Math.PI,
            },
        }),
        ("scalars-min", new Everything
        {
            Scalars = new Scalars { Int = int.MinValue, Long = long.MinValue, Short = short.MinValue, SByte = sbyte.MinValue, Float = float.NegativeInfinity, Double = double.MinValue, Color = Color.Infra, TwoByteTag = -1 },
        }),
        ("optionals-defaults", new Everything
        {
            Optionals = new Optionals { Flag = false, Int = 0, UInt = 0, Long = 0, ULong = 0, Short = 0, UShort = 0, Byte = 0, SByte = 0, Float = 0, Double = 0, Text = "", Bytes = Array.Empty<byte>(), Memory = default(ReadOnlyMemory<byte>), Color = Color.None, Small = 0 },
        }),
        ("optionals-null", new Everything { Optionals = new Optionals() }),
        ("well-known", new Everything
        {
            WellKnown = new WellKnown
            {
                Time = new DateTime(2024, 2, 29, 23, 59, 59, DateTimeKind.Utc).AddTicks(1234567),
                Span = TimeSpan.FromTicks(-12345678901),
                Id = new Guid("00112233-4455-6677-8899-aabbccddeeff"),
                Price = -12345.67890m,
                MaybeTime = DateTime.UnixEpoch.AddTicks(-1),
                MaybeSpan = TimeSpan.Zero,
                MaybeId = Guid.Empty,
                MaybePrice = 0.00m,
                Times = new List<DateTime> { DateTime.UnixEpoch, new DateTime(9999, 12, 31, 23, 59, 59, DateTimeKind.Utc) },
                Spans = new[] { TimeSpan.FromDays(1), TimeSpan.FromTicks(1) },
                Ids = new[] { Guid.Empty, new Guid("ffffffff-ffff-ffff-ffff-ffffffffffff") },
                Prices = new[] { decimal.MaxValue, 0m, 1.10m },
                TimeOf = new Dictionary<string, DateTime> { ["epoch"] = DateTime.UnixEpoch },
                PriceOf = new Dictionary<Guid, decimal> { [new Guid("00112233-4455-6677-8899-aabbccddeeff")] = 9.99m },
            },
        }),
        ("lists", new Everything { Lists = Lists() }),
        ("maps", new Everything { Maps = Maps() }),
        ("nested", new Everything
        {
            Node = Chain(40),
            Point = new Point(-1, 1),
            MaybePoint = default(Point),
            Mutable = new Mutable { Given = 1, IOBytes = 2, @event = "3" },
            Formats = new Formats
            {
                SInt = -1,
                SLong = long.MinValue,
                SFixedInt = -2,
                SFixedLong = -3,
                FixedInt = 4,
                FixedLong = 5,
                SInts = new List<int> { 0, -1, 1, int.MinValue },
                Fixeds = new[] { 1, -1 },
                FixedLongs = new ulong[] { ulong.MaxValue },
                MaybeSInt = 0,
            },
            Nothing = new Nothing(),
        }),
        ("calendar", new Everything
        {
            Calendar = new Calendar
            {
                Moment = new DateTimeOffset(2026, 11, 24, 13, 30, 15, TimeSpan.FromHours(-3.5)).AddTicks(1234567),
                MaybeMoment = DateTimeOffset.UnixEpoch,
                Moments = new List<DateTimeOffset> { DateTimeOffset.MinValue, DateTimeOffset.MaxValue, new(1, 1, 1, 14, 0, 0, TimeSpan.FromHours(14)) },
                MomentOf = new Dictionary<string, DateTimeOffset> { ["east"] = new(1969, 12, 31, 23, 0, 0, TimeSpan.FromHours(5.75)) },
                Day = new DateOnly(2024, 2, 29),
                MaybeDay = DateOnly.MinValue,
                Days = new[] { DateOnly.MinValue, DateOnly.MaxValue },
                DayOf = new Dictionary<int, DateOnly> { [1] = new(1970, 1, 1) },
                Time = new TimeOnly(23, 59, 59).Add(TimeSpan.FromTicks(9_999_999)),
                MaybeTime = TimeOnly.MinValue,
                Times = new[] { TimeOnly.MinValue, new TimeOnly(12, 0) },
                TimeOf = new Dictionary<int, TimeOnly> { [0] = new(0, 1) },
                Address = new Uri("http://example.org/a?b=%20#c"),
                MaybeAddress = ProtoReader.EmptyUri,
                Addresses = new List<Uri> { new("/a/b", UriKind.Relative), new("../x", UriKind.Relative), new("urn:isbn:0451450523") },
                AddressOf = new Dictionary<int, Uri> { [7] = new("file:///tmp/x") },
            },
        }),
        ("collections", new Everything { Collections = Collections() }),
        ("nested-lists", new Everything
        {
            Nested = new Nested
            {
                Rows = new List<List<int>> { new(), new() { 1, -1 }, Enumerable.Range(0, 200).ToList() },
                Grid = new[] { new[] { 1, 2 }, Array.Empty<int>() },
                Groups = new Dictionary<string, List<Point>> { ["none"] = new(), ["two"] = new() { new Point(1, 2), default } },
                Tables = new List<Dictionary<string, int>> { new(), new() { ["one"] = 1 } },
                Deep = new List<List<List<string>>> { new() { new() { "a", "" }, new() }, new() },
                Series = new Dictionary<int, ImmutableArray<double>> { [1] = [0.5, -1], [2] = [] },
                Pair = (3, "three"),
                Maybe = ("m", new Point(1, 1), new List<int> { 4 }),
                Corners = new List<(int X, int Y)> { (0, 0), (1, -1) },
                Labels = new Dictionary<int, (string Label, Node? Node)> { [1] = ("leaf", Chain(0)), [2] = ("none", null) },
            },
        }),
    };

    /// <summary>Nodes nested so many deep below the first.</summary>
    public static Node Chain(int depth)
    {
        var node = new Node("leaf", null, depth, Array.Empty<Node>());
        for (int i = 0; i < depth; i++)
            node = new Node("", node, i, Array.Empty<Node>());
        return node;
    }

    private static Lists Lists()
    {
        var lists = new Lists
        {
            Flags = new List<bool> { true, false, true },
            Ints = Enumerable.Range(-3, 300).ToArray(),
            UInts = new uint[] { 0, uint.MaxValue },
            Longs = new[] { long.MinValue, 0, 1 },
            ULongs = new List<ulong> { ulong.MaxValue },
            Shorts = new short[] { -1, 1 },
            Colors = new List<Color> { Color.None, Color.DarkRed, Color.Infra },
            Floats = new[] { 0.5f, -1 },
            Doubles = Enumerable.Range(0, 100).Select(static i => i / 3.0).ToList(),
            MoreDoubles = new[] { 1.0, 2.0 },
            Blobs = new[] { Array.Empty<byte>(), new byte[] { 1, 2, 3 } },
            Nodes = new List<Node> { Chain(0), Chain(2), new(new string('n', 130), null, 1, new[] { Chain(0) }) },
            Points = new[] { new Point(0, 0), new Point(1, -1) },
            MaybeInts = new List<int> { 7 },
            Smalls = new[] { SmallEnum.One, SmallEnum.Max },
        };
        lists.Texts.AddRange(new[] { "", "one", "zwei", new string('d', 128) });
        return lists;
    }

    private static Maps Maps()
    {
        var maps = new Maps
        {
            Names = new Dictionary<int, string> { [0] = "", [-1] = "minus one" },
            Numbers = new Dictionary<string, int> { [""] = 0, ["one"] = 1 },
            Rates = new Dictionary<bool, double> { [false] = 0, [true] = 1.5 },
            Nodes = new Dictionary<ulong, Node> { [0] = Chain(0), [ulong.MaxValue] = Chain(1) },
            Blobs = new Dictionary<uint, byte[]> { [1] = new byte[] { 1 } },
            Points = new Dictionary<short, Point> { [-1] = new Point(1, 2) },
        };
        maps.Colors[5] = Color.DarkRed;
        return maps;
    }

    private static Collections Collections()
    {
        var collections = new Collections
        {
            Texts = new HashSet<string> { "", "a" },
            Colors = new HashSet<Color> { Color.None, Color.Infra },
            Sorted = new SortedSet<long> { 3, -1, 2 },
            Doubles = [1.5, -0.5],
            Points = [new Point(1, 2)],
            Words = ["x", "y"],
            Numbers = [uint.MaxValue],
            Order = [2, 1],
            Frozen = new[] { "ice" }.ToFrozenSet(),
            Floats = new List<float> { 0.25f },
            Nodes = new List<Node> { Chain(1) },
            Counts = ImmutableDictionary<string, int>.Empty.Add("one", 1),
            Places = ImmutableSortedDictionary<int, Point>.Empty.Add(2, new Point(2, 2)).Add(1, default),
            Known = new Dictionary<int, Node> { [1] = Chain(0) }.ToFrozenDictionary(),
            Flags = ImmutableList.Create(true, false),
            Rates = ImmutableDictionary<uint, double>.Empty.Add(1, 0.5),
        };
        collections.Ints.UnionWith(new[] { 1, 2, 1 });
        collections.Names[2] = "two";
        collections.Names[1] = "one";
        return collections;
    }
}
