using System;
using System.Linq;
using Ipc.Rpc.Serializers.Tests.Annotated;
using MessagePack;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>Contracts as users of either library have annotated them.</summary>
public sealed class AnnotatedTests
{
    private readonly ProtobufNetIpcSerializer _protobufNet = new();
    private readonly MessagePackIpcSerializer _messagePack = new();

    public static TheoryData<string, string> Pairs => new()
    {
        { Formats.Generated, Formats.Generated },
        { Formats.Generated, Formats.ProtobufNet },
        { Formats.ProtobufNet, Formats.Generated },
        { Formats.ProtobufNet, Formats.ProtobufNet },
    };

    [Theory]
    [MemberData(nameof(Pairs))]
    public void MessagesOfProtobufNetArriveWhoeverWritesThem(string offered, string chosen)
    {
        using var pair = new Connected(Formats.Serializer(offered), Formats.Serializer(chosen), AnnotatedRpc.Service(new Annotated.Annotated()));
        IAnnotated proxy = AnnotatedRpc.Client(pair.Client);
        Same(NewParcel(), proxy.Send(NewParcel()));
        Assert.Equal("a b 3", proxy.Route(new Stop("a", 1), new Stop("b", 2), 3));
        Assert.Equal("a nowhere 0", proxy.Route(new Stop("a", 1), null, 0));
    }

    [Theory]
    [InlineData(Formats.Generated)]
    [InlineData(Formats.MessagePack)]
    public void MessagesOfMessagePackArriveWhoeverWritesThem(string format)
    {
        using var pair = new Connected(Formats.Serializer(format), Formats.Serializer(format), AnnotatedRpc.Service(new Annotated.Annotated()));
        Same(NewReading(), AnnotatedRpc.Client(pair.Client).Read(NewReading()));
    }

    [Fact]
    public void ProtobufNetAndTheGeneratedCodecWriteTheSameBytes()
        => Assert.Equal(Hex(AnnotatedRpc.Send.Request, NewParcel()), Hex(_protobufNet.CodecFor(AnnotatedRpc.Send.Request), NewParcel()));

    [Fact]
    public void AReadingIsTheArrayThatMessagePackMakesOfIt()
        => Assert.Equal(
            Convert.ToHexString(MessagePackSerializer.Serialize(NewReading(), cancellationToken: TestContext.Current.CancellationToken)),
            Hex(_messagePack.CodecFor(AnnotatedRpc.Read.Request), NewReading()));

    /// <summary>Key 0 is field 1: protobuf has no field 0.</summary>
    [Fact]
    public void KeysAreNumbersFrom1OnInProtobuf()
        => Assert.StartsWith("0A0173" + "22020801", Hex(AnnotatedRpc.Read.Request, new Reading { Sensor = "s", Within = new Span(1, 0), At = DateTime.UnixEpoch }), StringComparison.Ordinal);

    /// <summary>Nothing in protobuf-net's model says what MessagePack's attributes say.</summary>
    [Fact]
    public void ATypeThatASerializerDoesNotKnowIsNamed()
    {
        using var pair = new Connected(_protobufNet, _protobufNet, AnnotatedRpc.Service(new Annotated.Annotated()));
        RpcCallException refused = Assert.Throws<RpcCallException>(() => AnnotatedRpc.Client(pair.Client).Read(NewReading()));
        Assert.Equal(RpcStatus.InvalidArgument, refused.Status);
        Assert.Contains("protobuf-net could not write Reading", refused.Message, StringComparison.Ordinal);
        using var other = new Connected(_messagePack, _messagePack, AnnotatedRpc.Service(new Annotated.Annotated()));
        refused = Assert.Throws<RpcCallException>(() => AnnotatedRpc.Client(other.Client).Send(NewParcel()));
        Assert.Equal(RpcStatus.InvalidArgument, refused.Status);
        Assert.Contains("MessagePack could not write Packet", refused.Message, StringComparison.Ordinal);
    }

    private static Parcel NewParcel() => new()
    {
        Code = "DE-7",
        Weight = -1200,
        Serial = ulong.MaxValue,
        Stops = [new Stop("Ulm", 12.5), new Stop("Köln", 1)],
        Offsets = [0, -1, 1, int.MinValue],
        Sent = new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc),
        Kind = ParcelKind.Box,
        Named = new() { ["home"] = new Stop("Bonn", 2) },
    };

    private static Reading NewReading() => new()
    {
        Sensor = "t1",
        Values = [1.5, -0.0, double.MaxValue],
        Within = new Span(-5, 5),
        At = new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc),
    };

    private static void Same(Parcel expected, Parcel actual)
    {
        Assert.Equal((expected.Code, expected.Weight, expected.Serial, expected.Sent, expected.Kind), (actual.Code, actual.Weight, actual.Serial, actual.Sent, actual.Kind));
        Assert.Equal(expected.Stops, actual.Stops);
        Assert.Equal(expected.Offsets, actual.Offsets);
        Assert.Equal(expected.Named, actual.Named);
    }

    private static void Same(Reading expected, Reading actual)
    {
        Assert.Equal((expected.Sensor, expected.Within, expected.At), (actual.Sensor, actual.Within, actual.At));
        Assert.True(expected.Values.SequenceEqual(actual.Values));
    }

    private static string Hex<T>(MessageCodec<T> codec, T value)
    {
        byte[] place = new byte[4096];
        return Convert.ToHexString(place.AsSpan(0, codec.Encode(value, place)));
    }
}
