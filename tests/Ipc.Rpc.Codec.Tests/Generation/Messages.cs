using System.Collections.Generic;
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
