using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using Ipc.Rpc.Codec.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>What days, moments, addresses, tuples and inner lists do at their edges.</summary>
public sealed class CalendarTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;

    [Fact]
    public void AMomentKeepsItsOffset()
    {
        foreach (double hours in new[] { 14, -14, 5.75, -3.5, 0 })
        {
            var moment = new DateTimeOffset(2026, 11, 24, 13, 30, 0, TimeSpan.FromHours(hours));
            DateTimeOffset back = Same(new Calendar { Moment = moment, MaybeMoment = moment }).Moment;
            Assert.True(moment.EqualsExact(back), back.ToString("o"));
        }
    }

    /// <summary>A part of a day need not be one: it is judged when it is whole.</summary>
    [Fact]
    public void ADayMayComeInPieces()
    {
        Calendar calendar = Read(Field(5, 0x08, 0xe8, 0x0f), Field(5, 0x10, 0x02), Field(5, 0x18, 0x1d)); // 2024; 2; 29
        Assert.Equal(new DateOnly(2024, 2, 29), calendar.Day);
        Assert.Equal(new TimeOnly(1, 2), Read(Field(9, 0x08, 0x01), Field(9, 0x10, 0x02)).Time);
        Assert.Equal(DateOnly.MinValue, Read(Field(5)).Day);
        Refused(Field(5, 0x08, 0xe8, 0x0f)); // 2024 alone
        Refused(Field(5, 0x08, 0xe8, 0x0f), Field(5, 0x10, 0x0d), Field(5, 0x18, 0x01)); // its 13th month
        Refused(Field(7, 0x08, 0xe8, 0x0f), Field(7, 0x10, 0x02)); // elements of a list are whole ones
    }

    [Fact]
    public void WhatTheDotnetTypeCannotHoldIsRefused()
    {
        Refused(Field(1, 0x18, 0x92, 0x0d)); // 841 minutes
        Refused(Field(1, 0x18, 0x91, 0x0d)); // -841
        Refused(Field(1, 0x08, 0x80, 0x92, 0xb8, 0xc3, 0x98, 0xfe, 0xff, 0xff, 0xff, 0x01, 0x18, 0x01)); // 0001-01-01 by a clock that is behind
        Refused(Field(9, 0x08, 0x18)); // 24:00
        Refused(Field(9, 0x18, 0x3c)); // 60 seconds
        Refused(Field(13, "http://[/"u8.ToArray()));
    }

    [Fact]
    public void APathOfThisMachineTravelsAsAFileAddress()
    {
        Uri path = OperatingSystem.IsWindows() ? new Uri(@"C:\x") : new Uri("/tmp/x");
        Assert.True(path.IsAbsoluteUri);
        Uri back = Same(new Calendar { Address = path }).Address;
        Assert.Equal((path, path.AbsoluteUri), (back, back.OriginalString));
        Assert.False(Same(new Calendar { Address = new Uri("/tmp/x", UriKind.Relative) }).Address.IsAbsoluteUri);
    }

    [Fact]
    public void NullAndEmptyAreAsThePageSays()
    {
        Calendar calendar = Same(new Calendar { Address = null!, MaybeAddress = null });
        Assert.Equal(("", null), (calendar.Address.OriginalString, calendar.MaybeAddress));
        Assert.Equal("", Same(new Calendar { MaybeAddress = ProtoReader.EmptyUri }).MaybeAddress!.OriginalString);

        Collections collections = Same(new Everything { Collections = new Collections { Doubles = default, Points = ImmutableArray<Point>.Empty, Colors = new HashSet<Color>(), Texts = null! } }).Collections!;
        Assert.False(collections.Doubles.IsDefault);
        Assert.Equal((0, null, null), (collections.Doubles.Length, collections.Points, collections.Colors));
        Assert.Empty(collections.Texts);

        Nested nested = Same(new Everything { Nested = new Nested { Pair = default, Series = { [1] = default }, Rows = { new List<int>() } } }).Nested!;
        Assert.Equal((0, ""), nested.Pair);
        Assert.Equal((false, 0), (nested.Series[1].IsDefault, nested.Series[1].Length));
        Assert.Empty(Assert.Single(nested.Rows));
        Assert.Equal((0, ""), _codec.Decode([0x72, 0x00]).Nested!.Pair); // from somebody who does not know it
    }

    [Fact]
    public void NullInAnInnerListIsRefused()
    {
        ProtoException refused = Assert.Throws<ProtoException>(() => Encoded.Of(_codec, new Everything { Nested = new Nested { Rows = { null! } } }));
        Assert.Contains("Rows", refused.Message, StringComparison.Ordinal);
        Assert.Throws<ProtoException>(() => Encoded.Of(_codec, new Everything { Nested = new Nested { Deep = { new List<List<string>> { new() { null! } } } } }));
        Assert.Throws<ProtoException>(() => Encoded.Of(_codec, new Everything { Nested = new Nested { Groups = { ["a"] = null! } } }));
    }

    private static Calendar Same(Calendar calendar) => Same(new Everything { Calendar = calendar }).Calendar!;

    private static Everything Same(Everything message) => _codec.Decode(Encoded.Of(_codec, message));

    private static Calendar Read(params byte[][] fields) => _codec.Decode(Everything(fields)).Calendar!;

    private static void Refused(params byte[][] fields)
        => Assert.Equal(ProtoError.InvalidValue, Assert.Throws<ProtoException>(() => _codec.Decode(Everything(fields))).Error);

    private static byte[] Everything(byte[][] fields)
    {
        byte[] calendar = [.. System.Linq.Enumerable.SelectMany(fields, static field => field)];
        return [0x62, (byte)calendar.Length, .. calendar]; // field 12
    }

    private static byte[] Field(int number, params byte[] body) => [(byte)((number << 3) | 2), (byte)body.Length, .. body];
}
