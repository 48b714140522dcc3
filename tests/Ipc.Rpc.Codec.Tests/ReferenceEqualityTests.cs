using System;
using System.Collections.Generic;
using System.Linq;
using FsCheck;
using FsCheck.Fluent;
using Ipc.Rpc.Codec.Tests.Contract;
using Ipc.Rpc.Codec.Tests.Generation;
using Ipc.Rpc.Codec.Tests.Reference;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>For any message: another implementation reads our bytes and writes the same ones, and refuses what we refuse.</summary>
/// <remarks>
/// Others order the entries of a map by key and write also the defaults in them; this codec does neither, like the C# reference. So
/// a message with maps is compared after its way back. One rule differs on purpose (docs/rpc-protocol.md section 4): this codec
/// refuses a number, Guid, decimal, DateTime or TimeSpan that .NET cannot hold; for others those are texts and numbers like others.
/// </remarks>
public abstract class ReferenceEqualityTests<TPeer> : IClassFixture<TPeer>
    where TPeer : ReferencePeer
{
    private const string Name = "codec.v1.Everything";
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;
    private readonly TPeer _peer;

    protected ReferenceEqualityTests(TPeer peer)
    {
        _peer = peer;
        peer.SkipIfAbsent();
    }

    [Fact]
    public void Scalars() => Check<Scalars>((all, part) => all.Scalars = part, Messages.ScalarProperties);

    [Fact]
    public void Optionals() => Check<Optionals>((all, part) => all.Optionals = part, Messages.OptionalProperties);

    [Fact]
    public void WellKnownTypes() => Check<WellKnown>((all, part) => all.WellKnown = part, Messages.WellKnownProperties);

    [Fact]
    public void Lists() => Check<Lists>((all, part) => all.Lists = part, Messages.ListProperties);

    [Fact]
    public void Maps() => Check<Maps>((all, part) => all.Maps = part, Messages.MapProperties);

    [Fact]
    public void DaysMomentsAndAddresses() => Check<Calendar>((all, part) => all.Calendar = part, Messages.CalendarProperties);

    [Fact]
    public void SetsAndWhatIsImmutable() => Check<Collections>((all, part) => all.Collections = part, Messages.CollectionProperties);

    [Fact]
    public void ListsOfListsAndTuples() => Check<Nested>((all, part) => all.Nested = part, Messages.NestedProperties);

    [Fact]
    public void MessagesInMessages() => FsCheck.Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(IsFull ? 100 : 30),
        Prop.ForAll(Assignments.Arbitrary(Messages.EverythingProperties), list => AssertSame(Assignments.Build(list))));

    [Fact]
    public void NegativeZeroIsWrittenAsOthersWriteIt()
    {
        // The C# reference drops the sign, so the generated values do without; here is the other witness.
        AssertSame(new Everything
        {
            Scalars = new Scalars { Double = -0.0, Float = -0f },
            Optionals = new Optionals { Double = -0.0, Float = -0f },
            Lists = new Lists { Doubles = new List<double> { -0.0, 0.0 } },
        });
    }

    [Fact]
    public void EveryMessageOfTheContractIsKnownThere()
    {
        // An empty payload is the message of default values, for every one of them; what others write of it is nothing.
        foreach (string name in new[] { "Everything", "Scalars", "Optionals", "WellKnown", "Lists", "Maps", "Node", "Point", "Mutable", "Formats", "Nothing", "Calendar", "Collections", "Nested", "DateTimeOffset", "DateOnly", "TimeOnly", "ListOfInt32", "MapOfStringToInt32", "TupleOfXAndY", "LoadRequest", "FindResponse" })
            Assert.Equal(Array.Empty<byte>(), _peer.Rewrite("codec.v1." + name, default));
    }

    [Fact]
    public void EveryTruncationIsReadOrRefusedAlike()
    {
        foreach ((string name, Everything message) in Samples.All)
        {
            byte[] bytes = Encoded.Of(_codec, message);
            for (int length = 0; length <= bytes.Length; length++)
                AssertSameVerdict(bytes.AsSpan(0, length).ToArray(), $"{name}, the first {length} of {bytes.Length} bytes");
        }
    }

    [Fact]
    public void EveryMutationIsReadOrRefusedAlike()
    {
        int rounds = Rounds;
        byte[][] seeds = Samples.All.Select(s => Encoded.Of(_codec, s.Message)).ToArray();
        var random = new Random(20261121);
        int accepted = 0;
        for (int round = 0; round < rounds; round++)
        {
            byte[] bytes = Mutation.Of(seeds[random.Next(seeds.Length)], seeds, random);
            if (AssertSameVerdict(bytes, $"round {round}"))
                accepted++;
        }

        Assert.InRange(accepted, rounds / 20, rounds - (rounds / 20)); // else the mutations are too wild or too tame
    }

    [Fact]
    public void WhatProtobufAllowsIsReadAlike()
    {
        byte[][] seeds = Samples.All.Select(s => Encoded.Of(_codec, s.Message)).ToArray();
        var random = new Random(20261124);
        for (int round = 0; round < Rounds / 2; round++)
        {
            byte[] bytes = Rewriting.Of(seeds[round % seeds.Length], global::Codec.V1.Everything.Descriptor, random);
            Assert.True(AssertSameVerdict(bytes, $"round {round}"), $"round {round}: refused by both: {Convert.ToHexString(bytes)}");
        }
    }

    private static bool IsLong => Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1";

    private static bool IsFull => IsLong || Environment.GetEnvironmentVariable("IPC_TEST_FULL") == "1";

    private int Rounds => IsLong ? _peer.Rounds.Long : _peer.Rounds.Short;

    private void Check<TPart>(Action<Everything, TPart> put, Gen<Assignment<TPart>>[] properties)
        where TPart : new()
        => FsCheck.Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(IsFull ? 200 : 60),
            Prop.ForAll(Assignments.Arbitrary(properties), list =>
            {
                var all = new Everything();
                put(all, Assignments.Build(list));
                AssertSame(all);
            }));

    private void AssertSame(Everything message)
    {
        byte[] ours = Encoded.Of(_codec, message);
        byte[]? theirs = _peer.Rewrite(Name, ours);
        Assert.True(theirs is not null, "refused by the other: " + Convert.ToHexString(ours));
        if (HasMaps(message))
            Assert.Equal(ToGoogle.Convert(message), ToGoogle.Convert(_codec.Decode(theirs)));
        else
            Assert.Equal(Convert.ToHexString(ours), Convert.ToHexString(theirs));
    }

    /// <summary>Both read the bytes, to the same message; or both refuse them; or the difference is one of those that are meant.</summary>
    private bool AssertSameVerdict(byte[] bytes, string what)
    {
        byte[]? theirs = _peer.Rewrite(Name, bytes);
        Everything message;
        try
        {
            message = _codec.Decode(bytes);
        }
        catch (ProtoException exception)
        {
            Assert.True(
                theirs is null || exception.Error is ProtoError.InvalidValue || (_peer.EndsAtZero && exception.Error == ProtoError.InvalidTag),
                $"{what}: refused here as {exception.Error} at {exception.Offset}, read by the other: {Convert.ToHexString(bytes)}");
            return false;
        }

        Assert.True(theirs is not null, $"{what}: read here, refused by the other: {Convert.ToHexString(bytes)}");

        // Others keep what it does not know, this codec skips it: so the same message, not the same bytes.
        Assert.True(
            ToGoogle.Convert(message).Equals(ToGoogle.Convert(_codec.Decode(theirs))),
            $"{what}: read as another message than the other does: {Convert.ToHexString(bytes)}, by the other: {Convert.ToHexString(theirs)}");
        return true;
    }

    private static bool HasMaps(Everything message)
        => message.Maps is not null || message.WellKnown is { TimeOf.Count: > 0 } or { PriceOf.Count: > 0 }
            || message.Calendar is { MomentOf.Count: > 0 } or { DayOf.Count: > 0 } or { TimeOf.Count: > 0 } or { AddressOf.Count: > 0 }
            || message.Collections is not null || message.Nested is not null;
}
