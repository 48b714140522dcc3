using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using FsCheck;
using FsCheck.Fluent;
using Ipc.Rpc.Codec.Tests.Contract;
using static Ipc.Rpc.Codec.Tests.Generation.Assignments;
using static Ipc.Rpc.Codec.Tests.Generation.Values;

namespace Ipc.Rpc.Codec.Tests.Generation;

/// <summary>Random messages of the contract.</summary>
internal static class Messages
{
    public static readonly Gen<Point> Points = from x in Ints from y in Ints select new Point(x, y);

    public static readonly Gen<Node> Nodes = Gen.Choose(0, 4).SelectMany(NodeOf);

    public static readonly Gen<Assignment<Scalars>>[] ScalarProperties =
    {
        Set<Scalars, bool>("Flag", Bools, (m, v) => m.Flag = v),
        Set<Scalars, int>("Int", Ints, (m, v) => m.Int = v),
        Set<Scalars, uint>("UInt", UInts, (m, v) => m.UInt = v),
        Set<Scalars, long>("Long", Longs, (m, v) => m.Long = v),
        Set<Scalars, ulong>("ULong", ULongs, (m, v) => m.ULong = v),
        Set<Scalars, short>("Short", Shorts, (m, v) => m.Short = v),
        Set<Scalars, ushort>("UShort", UShorts, (m, v) => m.UShort = v),
        Set<Scalars, byte>("Byte", Bytes, (m, v) => m.Byte = v),
        Set<Scalars, sbyte>("SByte", SBytes, (m, v) => m.SByte = v),
        Set<Scalars, float>("Float", Floats, (m, v) => m.Float = v),
        Set<Scalars, double>("Double", Doubles, (m, v) => m.Double = v),
        Set<Scalars, string>("Text", Texts, (m, v) => m.Text = v),
        Set<Scalars, byte[]>("Bytes", Blobs, (m, v) => m.Bytes = v),
        Set<Scalars, byte[]>("Memory", Blobs, (m, v) => m.Memory = v),
        Set<Scalars, Color>("Color", Colors, (m, v) => m.Color = v),
        Set<Scalars, SmallEnum>("Small", Smalls, (m, v) => m.Small = v),
        Set<Scalars, int>("TwoByteTag", Ints, (m, v) => m.TwoByteTag = v),
        Set<Scalars, string>("ThreeByteTag", Texts, (m, v) => m.ThreeByteTag = v),
        Set<Scalars, double>("FiveByteTag", Doubles, (m, v) => m.FiveByteTag = v),
    };

    public static readonly Gen<Assignment<Optionals>>[] OptionalProperties =
    {
        Set<Optionals, bool?>("Flag", Maybe(Bools), (m, v) => m.Flag = v),
        Set<Optionals, int?>("Int", Maybe(Ints), (m, v) => m.Int = v),
        Set<Optionals, uint?>("UInt", Maybe(UInts), (m, v) => m.UInt = v),
        Set<Optionals, long?>("Long", Maybe(Longs), (m, v) => m.Long = v),
        Set<Optionals, ulong?>("ULong", Maybe(ULongs), (m, v) => m.ULong = v),
        Set<Optionals, short?>("Short", Maybe(Shorts), (m, v) => m.Short = v),
        Set<Optionals, ushort?>("UShort", Maybe(UShorts), (m, v) => m.UShort = v),
        Set<Optionals, byte?>("Byte", Maybe(Bytes), (m, v) => m.Byte = v),
        Set<Optionals, sbyte?>("SByte", Maybe(SBytes), (m, v) => m.SByte = v),
        Set<Optionals, float?>("Float", Maybe(Floats), (m, v) => m.Float = v),
        Set<Optionals, double?>("Double", Maybe(Doubles), (m, v) => m.Double = v),
        Set<Optionals, string?>("Text", MaybeNull(Texts), (m, v) => m.Text = v),
        Set<Optionals, byte[]?>("Bytes", MaybeNull(Blobs), (m, v) => m.Bytes = v),
        Set<Optionals, byte[]>("Memory", Blobs, (m, v) => m.Memory = v),
        Set<Optionals, Color?>("Color", Maybe(Colors), (m, v) => m.Color = v),
        Set<Optionals, SmallEnum?>("Small", Maybe(Smalls), (m, v) => m.Small = v),
    };

    public static readonly Gen<Assignment<WellKnown>>[] WellKnownProperties =
    {
        Set<WellKnown, System.DateTime>("Time", Times, (m, v) => m.Time = v),
        Set<WellKnown, System.TimeSpan>("Span", Spans, (m, v) => m.Span = v),
        Set<WellKnown, System.Guid>("Id", Guids, (m, v) => m.Id = v),
        Set<WellKnown, decimal>("Price", Decimals, (m, v) => m.Price = v),
        Set<WellKnown, System.DateTime?>("MaybeTime", Maybe(Times), (m, v) => m.MaybeTime = v),
        Set<WellKnown, System.TimeSpan?>("MaybeSpan", Maybe(Spans), (m, v) => m.MaybeSpan = v),
        Set<WellKnown, System.Guid?>("MaybeId", Maybe(Guids), (m, v) => m.MaybeId = v),
        Set<WellKnown, decimal?>("MaybePrice", Maybe(Decimals), (m, v) => m.MaybePrice = v),
        Set<WellKnown, System.DateTime[]>("Times", Few(Times), (m, v) => m.Times = v.ToList()),
        Set<WellKnown, System.TimeSpan[]>("Spans", Few(Spans), (m, v) => m.Spans = v),
        Set<WellKnown, System.Guid[]>("Ids", Few(Guids), (m, v) => m.Ids = v),
        Set<WellKnown, decimal[]>("Prices", Few(Decimals), (m, v) => m.Prices = v),
        Set<WellKnown, Dictionary<string, System.DateTime>>("TimeOf", Map(Texts, Times), (m, v) => m.TimeOf = v),
        Set<WellKnown, Dictionary<System.Guid, decimal>>("PriceOf", Map(Guids, Decimals), (m, v) => m.PriceOf = v),
    };

    public static readonly Gen<Assignment<Lists>>[] ListProperties =
    {
        Set<Lists, bool[]>("Flags", Few(Bools), (m, v) => m.Flags = v.ToList()),
        Set<Lists, int[]>("Ints", Few(Ints), (m, v) => m.Ints = v),
        Set<Lists, uint[]>("UInts", Few(UInts), (m, v) => m.UInts = v),
        Set<Lists, long[]>("Longs", Few(Longs), (m, v) => m.Longs = v),
        Set<Lists, ulong[]>("ULongs", Few(ULongs), (m, v) => m.ULongs = v.ToList()),
        Set<Lists, short[]>("Shorts", Few(Shorts), (m, v) => m.Shorts = v),
        Set<Lists, Color[]>("Colors", Few(Colors), (m, v) => m.Colors = v.ToList()),
        Set<Lists, float[]>("Floats", Few(Floats), (m, v) => m.Floats = v),
        Set<Lists, double[]>("Doubles", Few(Doubles), (m, v) => m.Doubles = v.ToList()),
        Set<Lists, double[]>("MoreDoubles", Few(Doubles), (m, v) => m.MoreDoubles = v),
        Set<Lists, string[]>("Texts", Few(Texts), (m, v) => m.Texts.AddRange(v)),
        Set<Lists, byte[][]>("Blobs", Few(Blobs), (m, v) => m.Blobs = v),
        Set<Lists, Node[]>("Nodes", Few(Nodes), (m, v) => m.Nodes = v.ToList()),
        Set<Lists, Point[]>("Points", Few(Points), (m, v) => m.Points = v),
        Set<Lists, int[]?>("MaybeInts", MaybeNull(Few(Ints)), (m, v) => m.MaybeInts = v?.ToList()),
        Set<Lists, SmallEnum[]>("Smalls", Few(Smalls), (m, v) => m.Smalls = v),
    };

    public static readonly Gen<Assignment<Maps>>[] MapProperties =
    {
        Set<Maps, Dictionary<int, string>>("Names", Map(Ints, Texts), (m, v) => m.Names = v),
        Set<Maps, Dictionary<string, int>>("Numbers", Map(Texts, Ints), (m, v) => m.Numbers = v),
        Set<Maps, Dictionary<bool, double>>("Rates", Map(Bools, Doubles), (m, v) => m.Rates = new SortedList<bool, double>(v)),
        Set<Maps, Dictionary<ulong, Node>>("Nodes", Map(ULongs, Nodes), (m, v) => m.Nodes = v),
        Set<Maps, Dictionary<long, Color>>("Colors", Map(Longs, Colors), (m, v) => v.ToList().ForEach(e => m.Colors[e.Key] = e.Value)),
        Set<Maps, Dictionary<uint, byte[]>>("Blobs", Map(UInts, Blobs), (m, v) => m.Blobs = v),
        Set<Maps, Dictionary<short, Point>>("Points", Map(Shorts, Points), (m, v) => m.Points = v),
    };

    public static readonly Gen<Assignment<Calendar>>[] CalendarProperties =
    {
        Set<Calendar, System.DateTimeOffset>("Moment", Moments, (m, v) => m.Moment = v),
        Set<Calendar, System.DateTimeOffset?>("MaybeMoment", Maybe(Moments), (m, v) => m.MaybeMoment = v),
        Set<Calendar, System.DateTimeOffset[]>("Moments", Few(Moments), (m, v) => m.Moments = v.ToList()),
        Set<Calendar, Dictionary<string, System.DateTimeOffset>>("MomentOf", Map(Texts, Moments), (m, v) => m.MomentOf = v),
        Set<Calendar, System.DateOnly>("Day", Days, (m, v) => m.Day = v),
        Set<Calendar, System.DateOnly?>("MaybeDay", Maybe(Days), (m, v) => m.MaybeDay = v),
        Set<Calendar, System.DateOnly[]>("Days", Few(Days), (m, v) => m.Days = v),
        Set<Calendar, Dictionary<int, System.DateOnly>>("DayOf", Map(Ints, Days), (m, v) => m.DayOf = v),
        Set<Calendar, System.TimeOnly>("Time", DayTimes, (m, v) => m.Time = v),
        Set<Calendar, System.TimeOnly?>("MaybeTime", Maybe(DayTimes), (m, v) => m.MaybeTime = v),
        Set<Calendar, System.TimeOnly[]>("Times", Few(DayTimes), (m, v) => m.Times = v),
        Set<Calendar, Dictionary<int, System.TimeOnly>>("TimeOf", Map(Ints, DayTimes), (m, v) => m.TimeOf = v),
        Set<Calendar, System.Uri>("Address", Addresses, (m, v) => m.Address = v),
        Set<Calendar, System.Uri?>("MaybeAddress", MaybeNull(Addresses), (m, v) => m.MaybeAddress = v),
        Set<Calendar, System.Uri[]>("Addresses", Few(Addresses), (m, v) => m.Addresses = v.ToList()),
        Set<Calendar, Dictionary<int, System.Uri>>("AddressOf", Map(Ints, Addresses), (m, v) => m.AddressOf = v),
    };

    // Of a set whose order is that of its hashes no more than one: the reference compares lists.
    public static readonly Gen<Assignment<Collections>>[] CollectionProperties =
    {
        Set<Collections, int[]>("Ints", Few(Ints), (m, v) => m.Ints.UnionWith(v)),
        Set<Collections, string[]>("Texts", Tiny(Texts), (m, v) => m.Texts = v.ToHashSet()),
        Set<Collections, Color[]?>("Colors", MaybeNull(Few(Colors)), (m, v) => m.Colors = v?.ToHashSet()),
        Set<Collections, long[]>("Sorted", Few(Longs), (m, v) => m.Sorted = new SortedSet<long>(v)),
        Set<Collections, double[]>("Doubles", Few(Doubles), (m, v) => m.Doubles = v.ToImmutableArray()),
        Set<Collections, Point[]>("Points", Few(Points), (m, v) => m.Points = v.ToImmutableArray()),
        Set<Collections, string[]>("Words", Tiny(Texts), (m, v) => m.Words = v.ToImmutableList()),
        Set<Collections, uint>("Numbers", UInts, (m, v) => m.Numbers = ImmutableHashSet.Create(v)),
        Set<Collections, int[]?>("Order", MaybeNull(Few(Ints)), (m, v) => m.Order = v?.ToImmutableSortedSet()),
        Set<Collections, string>("Frozen", Texts, (m, v) => m.Frozen = new[] { v }.ToFrozenSet()),
        Set<Collections, float[]>("Floats", Few(Floats), (m, v) => m.Floats = new LinkedList<float>(v)),
        Set<Collections, Node[]>("Nodes", Tiny(Nodes), (m, v) => m.Nodes = new Queue<Node>(v)),
        Set<Collections, Dictionary<string, int>>("Counts", Map(Texts, Ints), (m, v) => m.Counts = v.ToImmutableDictionary()),
        Set<Collections, Dictionary<int, Point>>("Places", Map(Ints, Points), (m, v) => m.Places = v.ToImmutableSortedDictionary()),
        Set<Collections, Dictionary<long, string>>("Names", Map(Longs, Texts), (m, v) => v.ToList().ForEach(e => m.Names[e.Key] = e.Value)),
        Set<Collections, Dictionary<int, Node>?>("Known", MaybeNull(Map(Ints, Nodes)), (m, v) => m.Known = v?.ToFrozenDictionary()),
        Set<Collections, bool[]>("Flags", Few(Bools), (m, v) => m.Flags = v.ToImmutableList()),
        Set<Collections, Dictionary<uint, double>?>("Rates", MaybeNull(Map(UInts, Doubles)), (m, v) => m.Rates = v?.ToImmutableDictionary()),
    };

    public static readonly Gen<Assignment<Nested>>[] NestedProperties =
    {
        Set<Nested, int[][]>("Rows", Tiny(Few(Ints)), (m, v) => m.Rows = v.Select(static r => r.ToList()).ToList()),
        Set<Nested, int[][]>("Grid", Few(Tiny(Ints)), (m, v) => m.Grid = v),
        Set<Nested, Dictionary<string, Point[]>>("Groups", Map(Texts, Few(Points)), (m, v) => m.Groups = v.ToDictionary(static e => e.Key, static e => e.Value.ToList())),
        Set<Nested, Dictionary<string, int>[]>("Tables", Tiny(Map(Texts, Ints)), (m, v) => m.Tables = v.ToList()),
        Set<Nested, string[][][]>("Deep", Tiny(Tiny(Tiny(Gen.Elements("", "a", "bc")))), (m, v) => m.Deep = v.Select(static x => x.Select(static y => y.ToList()).ToList()).ToList()),
        Set<Nested, Dictionary<int, double[]>>("Series", Map(Ints, Few(Doubles)), (m, v) => m.Series = v.ToDictionary(static e => e.Key, static e => e.Value.ToImmutableArray())),
        Set<Nested, (int, string)>("Pair", from a in Ints from b in Texts select (a, b), (m, v) => m.Pair = v),
        Set<Nested, (string, Point?, List<int>)?>("Maybe", Maybe(from a in Texts from b in Maybe(Points) from c in Few(Ints) select (a, b, c.ToList())), (m, v) => m.Maybe = v),
        Set<Nested, (int, int)[]>("Corners", Few(from a in Ints from b in Ints select (a, b)), (m, v) => m.Corners = v.ToList()),
        Set<Nested, Dictionary<int, (string, Node?)>>("Labels", Map(Ints, from a in Texts from b in MaybeNull(Nodes) select (a, b)), (m, v) => m.Labels = v),
    };

    public static readonly Gen<Formats> FormatMessages =
        from a in Ints
        from b in Longs
        from c in UInts
        from d in ULongs
        from e in Few(Ints)
        from f in Few(ULongs)
        from g in Maybe(Ints)
        select new Formats { SInt = a, SLong = b, SFixedInt = a, SFixedLong = b, FixedInt = c, FixedLong = d, SInts = e.ToList(), Fixeds = e, FixedLongs = f, MaybeSInt = g };

    public static readonly Gen<Assignment<Everything>>[] EverythingProperties =
    {
        Set<Everything, Scalars>("Scalars", Message(ScalarProperties), (m, v) => m.Scalars = v),
        Set<Everything, Optionals>("Optionals", Message(OptionalProperties), (m, v) => m.Optionals = v),
        Set<Everything, WellKnown>("WellKnown", Message(WellKnownProperties), (m, v) => m.WellKnown = v),
        Set<Everything, Lists>("Lists", Message(ListProperties), (m, v) => m.Lists = v),
        Set<Everything, Maps>("Maps", Message(MapProperties), (m, v) => m.Maps = v),
        Set<Everything, Node>("Node", Nodes, (m, v) => m.Node = v),
        Set<Everything, Point>("Point", Points, (m, v) => m.Point = v),
        Set<Everything, Point?>("MaybePoint", Maybe(Points), (m, v) => m.MaybePoint = v),
        Set<Everything, Mutable>("Mutable", from a in Ints from b in Longs from c in Texts select new Mutable { Given = a, IOBytes = b, @event = c }, (m, v) => m.Mutable = v),
        Set<Everything, Formats>("Formats", FormatMessages, (m, v) => m.Formats = v),
        Set<Everything, Calendar>("Calendar", Message(CalendarProperties), (m, v) => m.Calendar = v),
        Set<Everything, Collections>("Collections", Message(CollectionProperties), (m, v) => m.Collections = v),
        Set<Everything, Nested>("Nested", Message(NestedProperties), (m, v) => m.Nested = v),
        Set<Everything, Nothing>("Nothing", Gen.Constant(new Nothing()), (m, v) => m.Nothing = v),
    };

    private static Gen<Node> NodeOf(int depth)
        => from name in Texts
           from value in Ints
           from left in depth == 0 ? Gen.Constant((Node?)null) : MaybeNull(NodeOf(depth - 1))
           from count in Gen.Choose(0, depth == 0 ? 0 : 2)
           from children in depth == 0 ? Gen.Constant(System.Array.Empty<Node>()) : NodeOf(depth - 1).ArrayOf(count)
           select new Node(name, left, value, children);
}
