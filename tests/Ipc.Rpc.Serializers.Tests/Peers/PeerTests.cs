using System;
using Ipc.Rpc.Codec.Tests.Reference;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests.Peers;

/// <summary>Another language's protobuf reads what protobuf-net writes as it reads what the generated codec writes, and each reads what the other wrote.</summary>
/// <remarks>Not byte by byte: protobuf-net writes an empty text that the others leave out, and none writes the entries of a map in an order that was agreed on. The peer's own way of writing is
/// the common one.</remarks>
public abstract class PeerTests<TPeer> : IClassFixture<TPeer>
    where TPeer : ReferencePeer
{
    private readonly ProtobufNetIpcSerializer _protobufNet = new();
    private readonly TPeer _peer;

    protected PeerTests(TPeer peer)
    {
        _peer = peer;
        peer.SkipIfAbsent();
    }

    [Fact]
    public void Scalars() => Check(PartsRpc.ScalarsMethod.Request, Parts.Scalars(), new());

    [Fact]
    public void Optionals() => Check(PartsRpc.OptionalsMethod.Request, Parts.Optionals(), new());

    [Fact]
    public void WellKnownTypes() => CheckWriting(PartsRpc.WellKnownMethod.Request, Parts.WellKnown());

    [Fact]
    public void Lists() => CheckWriting(PartsRpc.ListsMethod.Request, Parts.Lists());

    [Fact]
    public void Maps() => Check(PartsRpc.MapsMethod.Request, Parts.Maps(), new());

    [Fact]
    public void Records() => Check(PartsRpc.NodeMethod.Request, Parts.Node(), new("", null, 0, []));

    [Fact]
    public void FormatsOfIntegers() => CheckWriting(PartsRpc.FormatsMethod.Request, Parts.Formats());

    /// <summary>These have lists behind interfaces that begin as arrays: protobuf-net writes them, and refuses to read them.</summary>
    private void CheckWriting<T>(MessageCodec<T> generated, T message)
    {
        MessageCodec<T> protobufNet = _protobufNet.CodecFor(generated);
        string name = "codec.v1." + generated.Name;
        byte[] common = Rewritten(name, Bytes(generated, message));
        Assert.Equal(Convert.ToHexString(common), Convert.ToHexString(Rewritten(name, Bytes(protobufNet, message))));
        Assert.Equal(Convert.ToHexString(common), Convert.ToHexString(Rewritten(name, Bytes(generated, generated.Decode(Bytes(protobufNet, message))))));
        Assert.Equal(ProtoError.SerializerFailed, Assert.Throws<ProtoException>(() => protobufNet.Decode(common)).Error);
    }

    private void Check<T>(MessageCodec<T> generated, T full, T blank)
    {
        Check(generated, full);
        Check(generated, blank);
    }

    private void Check<T>(MessageCodec<T> generated, T message)
    {
        MessageCodec<T> protobufNet = _protobufNet.CodecFor(generated);
        string name = "codec.v1." + generated.Name;
        byte[] common = Rewritten(name, Bytes(generated, message));
        Assert.Equal(Convert.ToHexString(common), Convert.ToHexString(Rewritten(name, Bytes(protobufNet, message))));
        Assert.Equal(Convert.ToHexString(common), Convert.ToHexString(Rewritten(name, Bytes(protobufNet, protobufNet.Decode(common)))));
        Assert.Equal(Convert.ToHexString(common), Convert.ToHexString(Rewritten(name, Bytes(protobufNet, protobufNet.Decode(Bytes(generated, message))))));
        Assert.Equal(Convert.ToHexString(common), Convert.ToHexString(Rewritten(name, Bytes(generated, generated.Decode(Bytes(protobufNet, message))))));
    }

    private byte[] Rewritten(string name, byte[] payload)
    {
        byte[]? bytes = _peer.Rewrite(name, payload);
        Assert.True(bytes is not null, "refused: " + Convert.ToHexString(payload));
        return bytes;
    }

    private static byte[] Bytes<T>(MessageCodec<T> codec, T message)
    {
        byte[] place = new byte[16_384];
        return place[..codec.Encode(message, place)];
    }
}

/// <inheritdoc/>
public sealed class CppPeerTests(CppPeer peer) : PeerTests<CppPeer>(peer);

/// <inheritdoc/>
public sealed class PythonPeerTests(PythonPeer peer) : PeerTests<PythonPeer>(peer);
