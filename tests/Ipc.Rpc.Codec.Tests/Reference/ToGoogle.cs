using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Ipc.Rpc.Codec.Tests.Contract;
using P = global::Codec.V1;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>The same message as protoc's classes have it, field by field and by hand: the second entry of the double entry.</summary>
internal static class ToGoogle
{
    public static P.Everything Convert(Everything m)
    {
        var to = new P.Everything
        {
            Point = Convert(m.Point),
            Mutable = new P.Mutable { OtherName = m.Mutable.Given, IoBytes = m.Mutable.IOBytes, Event = m.Mutable.@event ?? "" },
        };
        if (m.Scalars is not null)
            to.Scalars = Convert(m.Scalars);
        if (m.Optionals is not null)
            to.Optionals = Convert(m.Optionals);
        if (m.WellKnown is not null)
            to.WellKnown = Convert(m.WellKnown);
        if (m.Lists is not null)
            to.Lists = Convert(m.Lists);
        if (m.Maps is not null)
            to.Maps = Convert(m.Maps);
        if (m.Node is not null)
            to.Node = Convert(m.Node);
        if (m.MaybePoint is { } point)
            to.MaybePoint = Convert(point);
        if (m.Formats is not null)
            to.Formats = Convert(m.Formats);
        if (m.Nothing is not null)
            to.Nothing = new P.Nothing();
        if (m.Calendar is not null)
            to.Calendar = ToGoogleNewer.Convert(m.Calendar);
        if (m.Collections is not null)
            to.Collections = ToGoogleNewer.Convert(m.Collections);
        if (m.Nested is not null)
            to.Nested = ToGoogleNewer.Convert(m.Nested);
        return to;
    }

    public static P.Scalars Convert(Scalars m) => new()
    {
        Flag = m.Flag,
        Int = m.Int,
        UInt = m.UInt,
        Long = m.Long,
        ULong = m.ULong,
        Short = m.Short,
        UShort = m.UShort,
        Byte = m.Byte,
        SByte = m.SByte,
        Float = m.Float,
        Double = m.Double,
        Text = m.Text,
        Bytes = ByteString.CopyFrom(m.Bytes),
        Memory = ByteString.CopyFrom(m.Memory.Span),
        Color = (P.Color)m.Color,
        Small = (P.SmallEnum)m.Small,
        TwoByteTag = m.TwoByteTag,
        ThreeByteTag = m.ThreeByteTag,
        FiveByteTag = m.FiveByteTag,
    };

    public static P.Optionals Convert(Optionals m)
    {
        var to = new P.Optionals();
        If(m.Flag, v => to.Flag = v);
        If(m.Int, v => to.Int = v);
        If(m.UInt, v => to.UInt = v);
        If(m.Long, v => to.Long = v);
        If(m.ULong, v => to.ULong = v);
        If(m.Short, v => to.Short = v);
        If(m.UShort, v => to.UShort = v);
        If(m.Byte, v => to.Byte = v);
        If(m.SByte, v => to.SByte = v);
        If(m.Float, v => to.Float = v);
        If(m.Double, v => to.Double = v);
        if (m.Text is not null)
            to.Text = m.Text;
        if (m.Bytes is not null)
            to.Bytes = ByteString.CopyFrom(m.Bytes);
        If(m.Memory, v => to.Memory = ByteString.CopyFrom(v.Span));
        If(m.Color, v => to.Color = (P.Color)v);
        If(m.Small, v => to.Small = (P.SmallEnum)v);
        return to;
    }

    public static P.WellKnown Convert(WellKnown m)
    {
        var to = new P.WellKnown { Id = m.Id == Guid.Empty ? "" : m.Id.ToString(), Price = m.Price == 0 ? "" : Text(m.Price) };
        if (m.Time.Ticks != 0)
            to.Time = Timestamp.FromDateTime(m.Time);
        if (m.Span.Ticks != 0)
            to.Span = Duration.FromTimeSpan(m.Span);
        If(m.MaybeTime, v => to.MaybeTime = Timestamp.FromDateTime(v));
        If(m.MaybeSpan, v => to.MaybeSpan = Duration.FromTimeSpan(v));
        If(m.MaybeId, v => to.MaybeId = v.ToString());
        If(m.MaybePrice, v => to.MaybePrice = Text(v));
        to.Times.AddRange(m.Times.Select(Timestamp.FromDateTime));
        to.Spans.AddRange(m.Spans.Select(Duration.FromTimeSpan));
        to.Ids.AddRange(m.Ids.Select(static v => v.ToString()));
        to.Prices.AddRange(m.Prices.Select(Text));
        Fill(m.TimeOf, to.TimeOf, static k => k, Utc);
        Fill(m.PriceOf, to.PriceOf, static k => k.ToString(), Text);
        return to;
    }

    public static P.Lists Convert(Lists m)
    {
        var to = new P.Lists();
        to.Flags.AddRange(m.Flags);
        to.Ints.AddRange(m.Ints);
        to.UInts.AddRange(m.UInts);
        to.Longs.AddRange(m.Longs);
        to.ULongs.AddRange(m.ULongs);
        to.Shorts.AddRange(m.Shorts.Select(static v => (int)v));
        to.Colors.AddRange(m.Colors.Select(static v => (P.Color)v));
        to.Floats.AddRange(m.Floats);
        to.Doubles.AddRange(m.Doubles);
        to.MoreDoubles.AddRange(m.MoreDoubles);
        to.Texts.AddRange(m.Texts);
        to.Blobs.AddRange(m.Blobs.Select(ByteString.CopyFrom));
        to.Nodes.AddRange(m.Nodes.Select(Convert));
        to.Points.AddRange(m.Points.Select(Convert));
        to.MaybeInts.AddRange(m.MaybeInts ?? new List<int>());
        to.Smalls.AddRange(m.Smalls.Select(static v => (P.SmallEnum)v));
        return to;
    }

    public static P.Maps Convert(Maps m)
    {
        var to = new P.Maps();
        Fill(m.Names, to.Names, static k => k, static v => v);
        Fill(m.Numbers, to.Numbers, static k => k, static v => v);
        Fill(m.Rates, to.Rates, static k => k, static v => v);
        Fill(m.Nodes, to.Nodes, static k => k, Convert);
        Fill(m.Colors, to.Colors, static k => k, static v => (P.Color)v);
        Fill(m.Blobs, to.Blobs, static k => k, ByteString.CopyFrom);
        Fill(m.Points, to.Points, static k => k, Convert);
        return to;
    }

    public static P.Node Convert(Node m)
    {
        var to = new P.Node { Name = m.Name, Value = m.Value };
        if (m.Left is not null)
            to.Left = Convert(m.Left);
        to.Children.AddRange(m.Children.Select(Convert));
        return to;
    }

    public static P.Formats Convert(Formats m)
    {
        var to = new P.Formats { SInt = m.SInt, SLong = m.SLong, SFixedInt = m.SFixedInt, SFixedLong = m.SFixedLong, FixedInt = m.FixedInt, FixedLong = m.FixedLong };
        to.SInts.AddRange(m.SInts);
        to.Fixeds.AddRange(m.Fixeds);
        to.FixedLongs.AddRange(m.FixedLongs);
        If(m.MaybeSInt, v => to.MaybeSInt = v);
        return to;
    }

    public static P.Point Convert(Point m) => new() { X = m.X, Y = m.Y };

    private static string Text(decimal value) => value.ToString(CultureInfo.InvariantCulture);

    private static Timestamp Utc(DateTime value) => Timestamp.FromDateTime(DateTime.SpecifyKind(value, DateTimeKind.Utc));

    public static void If<T>(T? value, Action<T> set)
        where T : struct
    {
        if (value is { } present)
            set(present);
    }

    public static void Fill<TKey, TValue, TToKey, TToValue>(IEnumerable<KeyValuePair<TKey, TValue>> from, IDictionary<TToKey, TToValue> to, Func<TKey, TToKey> key, Func<TValue, TToValue> value)
    {
        foreach (KeyValuePair<TKey, TValue> entry in from)
            to.Add(key(entry.Key), value(entry.Value));
    }
}
