using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc.Codec.Tests.Contract;
using static Ipc.Rpc.Codec.Tests.Reference.ToGoogle;
using P = global::Codec.V1;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>The same for the messages of sets, frozen maps, lists of lists, tuples, days and moments.</summary>
internal static class ToGoogleNewer
{
    public static P.Calendar Convert(Calendar m)
    {
        var to = new P.Calendar { Address = m.Address.OriginalString };
        if (m.Moment != default || m.Moment.Offset != default)
            to.Moment = Convert(m.Moment);
        If(m.MaybeMoment, v => to.MaybeMoment = Convert(v));
        to.Moments.AddRange(m.Moments.Select(Convert));
        Fill(m.MomentOf, to.MomentOf, static k => k, Convert);
        if (m.Day != default)
            to.Day = Convert(m.Day);
        If(m.MaybeDay, v => to.MaybeDay = Convert(v));
        to.Days.AddRange(m.Days.Select(Convert));
        Fill(m.DayOf, to.DayOf, static k => k, Convert);
        if (m.Time != default)
            to.Time = Convert(m.Time);
        If(m.MaybeTime, v => to.MaybeTime = Convert(v));
        to.Times.AddRange(m.Times.Select(Convert));
        Fill(m.TimeOf, to.TimeOf, static k => k, Convert);
        if (m.MaybeAddress is not null)
            to.MaybeAddress = m.MaybeAddress.OriginalString;
        to.Addresses.AddRange(m.Addresses.Select(static v => v.OriginalString));
        Fill(m.AddressOf, to.AddressOf, static k => k, static v => v.OriginalString);
        return to;
    }

    public static P.Collections Convert(Collections m)
    {
        var to = new P.Collections();
        to.Ints.AddRange(m.Ints);
        to.Texts.AddRange(m.Texts);
        to.Colors.AddRange((m.Colors ?? new HashSet<Color>()).Select(static v => (P.Color)v));
        to.Sorted.AddRange(m.Sorted);
        to.Doubles.AddRange(m.Doubles);
        to.Points.AddRange((m.Points ?? []).Select(ToGoogle.Convert));
        to.Words.AddRange(m.Words);
        to.Numbers.AddRange(m.Numbers);
        to.Order.AddRange(m.Order ?? []);
        to.Frozen.AddRange(m.Frozen);
        to.Floats.AddRange(m.Floats);
        to.Nodes.AddRange(m.Nodes.Select(ToGoogle.Convert));
        Fill(m.Counts, to.Counts, static k => k, static v => v);
        Fill(m.Places, to.Places, static k => k, ToGoogle.Convert);
        Fill(m.Names, to.Names, static k => k, static v => v);
        if (m.Known is not null)
            Fill(m.Known, to.Known, static k => k, ToGoogle.Convert);
        to.Flags.AddRange(m.Flags);
        if (m.Rates is not null)
            Fill(m.Rates, to.Rates, static k => k, static v => v);
        return to;
    }

    public static P.Nested Convert(Nested m)
    {
        var to = new P.Nested { Pair = new P.TupleOfCountAndName { Count = m.Pair.Count, Name = m.Pair.Name ?? "" } };
        to.Rows.AddRange(m.Rows.Select(Ints));
        to.Grid.AddRange(m.Grid.Select(Ints));
        Fill(m.Groups, to.Groups, static k => k, static v => new P.ListOfPoint { Items = { v.Select(ToGoogle.Convert) } });
        to.Tables.AddRange(m.Tables.Select(static table =>
        {
            var entries = new P.MapOfStringToInt32();
            Fill(table, entries.Entries, static k => k, static v => v);
            return entries;
        }));
        to.Deep.AddRange(m.Deep.Select(static outer => new P.ListOfListOfString { Items = { outer.Select(static inner => new P.ListOfString { Items = { inner } }) } }));
        Fill(m.Series, to.Series, static k => k, static v => new P.ListOfDouble { Items = { v } });
        If(m.Maybe, v =>
        {
            to.Maybe = new P.TupleOfStringAndPointAndListOfInt32 { Item1 = v.Item1, Item3 = { v.Item3 } };
            If(v.Item2, point => to.Maybe.Item2 = ToGoogle.Convert(point));
        });
        to.Corners.AddRange(m.Corners.Select(static v => new P.TupleOfXAndY { X = v.X, Y = v.Y }));
        Fill(m.Labels, to.Labels, static k => k, static v =>
        {
            var label = new P.TupleOfLabelAndNode { Label = v.Label };
            if (v.Node is not null)
                label.Node = ToGoogle.Convert(v.Node);
            return label;
        });
        return to;
    }

    private static P.ListOfInt32 Ints(IEnumerable<int> values) => new() { Items = { values } };

    private static P.DateTimeOffset Convert(DateTimeOffset v)
    {
        long ticks = (v - DateTimeOffset.UnixEpoch).Ticks;
        long seconds = (long)Math.Floor(ticks / (decimal)TimeSpan.TicksPerSecond);
        return new P.DateTimeOffset { Seconds = seconds, Nanos = (int)(ticks - (seconds * TimeSpan.TicksPerSecond)) * 100, OffsetMinutes = (int)v.Offset.TotalMinutes };
    }

    private static P.DateOnly Convert(DateOnly v) => new() { Year = v.Year, Month = v.Month, Day = v.Day };

    private static P.TimeOnly Convert(TimeOnly v)
        => new() { Hours = v.Hour, Minutes = v.Minute, Seconds = v.Second, Nanos = (int)(v.Ticks % TimeSpan.TicksPerSecond) * 100 };
}
