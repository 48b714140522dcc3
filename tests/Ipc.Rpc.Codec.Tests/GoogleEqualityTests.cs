using System;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Ipc.Rpc.Codec.Tests.Contract;
using Ipc.Rpc.Codec.Tests.Generation;
using Ipc.Rpc.Codec.Tests.Reference;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>For any message: the bytes are Google.Protobuf's, and each side reads the other's.</summary>
public sealed class GoogleEqualityTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;

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
        Config.QuickThrowOnFailure.WithMaxTest(100),
        Prop.ForAll(Assignments.Arbitrary(Messages.EverythingProperties), list => AssertSame(Assignments.Build(list))));

    private static void Check<TPart>(Action<Everything, TPart> put, Gen<Assignment<TPart>>[] properties)
        where TPart : new()
        => FsCheck.Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(200),
            Prop.ForAll(Assignments.Arbitrary(properties), list =>
            {
                var all = new Everything();
                put(all, Assignments.Build(list));
                AssertSame(all);
            }));

    private static void AssertSame(Everything message)
    {
        global::Codec.V1.Everything google = ToGoogle.Convert(message);
        byte[] theirs = google.ToByteArray();
        byte[] ours = Encoded.Of(_codec, message);

        Assert.Equal(Convert.ToHexString(theirs), Convert.ToHexString(ours));
        Assert.Equal(google, global::Codec.V1.Everything.Parser.ParseFrom(ours));
        Assert.Equal(google, ToGoogle.Convert(_codec.Decode(theirs)));
    }
}
