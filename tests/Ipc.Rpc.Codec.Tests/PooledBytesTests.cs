using System;
using System.Linq;
using System.Runtime.InteropServices;
using Ipc.Rpc.Codec.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>Members of type <see cref="PooledBytes"/>: on the wire they are bytes, in memory they go back to a pool, once.</summary>
public sealed class PooledBytesTests
{
    private static readonly MessageCodec<PooledPhoto> s_pooled = PooledContractRpc.Pooled.Request;
    private static readonly MessageCodec<PlainPhoto> s_plain = PooledContractRpc.Plain.Request;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100_000)]
    public void TheyTravelLikeArrays(int length)
    {
        byte[] bytes = Enumerable.Range(0, length).Select(i => (byte)i).ToArray();
        var plain = new PlainPhoto { Bytes = bytes, Preview = [], Parts = [[1, 2], [], bytes] };
        var pooled = new PooledPhoto
        {
            Bytes = PooledBytes.CopyOf(bytes),
            Preview = default(PooledBytes),
            Parts = [PooledBytes.CopyOf([1, 2]), default, PooledBytes.CopyOf(bytes)],
        };

        byte[] wire = Encode(s_pooled, pooled);
        Assert.Equal(Encode(s_plain, plain), wire);

        PooledPhoto read = s_pooled.Decode(wire);
        Assert.Equal(bytes, read.Bytes.Span.ToArray());
        Assert.Equal(0, read.Preview!.Value.Length);
        Assert.Equal(plain.Parts, read.Parts.Select(part => part.Memory.ToArray()));
        Assert.Null(s_pooled.Decode([]).Preview);
        Assert.True(s_pooled.Decode([]).Bytes.IsEmpty);
    }

    [Fact]
    public void AMessageInTwoPiecesHasTheLastOnes()
        => Assert.Equal(new byte[] { 3 }, s_pooled.Decode([10, 2, 1, 2, 10, 1, 3]).Bytes.Span.ToArray());

    [Fact]
    public void WhatWasDisposedIsNotToBeHadFromAnyCopy()
    {
        PooledBytes bytes = PooledBytes.CopyOf([1, 2, 3]);
        PooledBytes copy = bytes;
        bytes.Dispose();

        Assert.Throws<ObjectDisposedException>(() => copy.Span[0]);
        Assert.Throws<ObjectDisposedException>(() => copy.Memory);
        Assert.Equal(3, copy.Length);
        Assert.Throws<ObjectDisposedException>(() => Encode(s_pooled, new PooledPhoto { Bytes = copy }));
    }

    /// <summary>An array that goes back twice is two messages' next.</summary>
    [Fact]
    public void DisposingTwiceGivesBackOnce()
    {
        PooledBytes bytes = PooledBytes.Rent(5000);
        PooledBytes copy = bytes;
        bytes.Dispose();
        copy.Dispose();
        using PooledBytes one = PooledBytes.Rent(5000);
        using PooledBytes other = PooledBytes.Rent(5000);

        Assert.NotSame(ArrayOf(one), ArrayOf(other));
        Assert.NotEqual(one, other);
        Assert.Equal(one, one with { });
    }

    [Fact]
    public void TheMemoryOfTheLastMessageIsTheNextOnes()
    {
        byte[] wire = Encode(s_plain, new PlainPhoto { Bytes = new byte[1 << 20] });
        s_pooled.Decode(wire).Bytes.Dispose();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10; i++)
            s_pooled.Decode(wire).Bytes.Dispose();

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 10_000);
    }

    [Fact]
    public void NoneAreNothingToDispose()
    {
        PooledBytes none = PooledBytes.Rent(0);
        none.Dispose();

        Assert.True(none.Span.IsEmpty && none.Memory.IsEmpty && none.IsEmpty);
        Assert.Equal(default, none);
        Assert.Throws<ArgumentOutOfRangeException>(() => PooledBytes.Rent(-1));
    }

    private static byte[] ArrayOf(PooledBytes bytes)
    {
        Assert.True(MemoryMarshal.TryGetArray<byte>(bytes.Memory, out ArraySegment<byte> segment));
        return segment.Array!;
    }

    private static byte[] Encode<T>(MessageCodec<T> codec, T value)
    {
        var bytes = new byte[300_000 + (1 << 20)];
        return bytes[..codec.Encode(in value, bytes)];
    }
}
