using System;
using System.Linq;
using Google.Protobuf;
using Ipc.Rpc.Codec.Tests.Contract;
using Ipc.Rpc.Codec.Tests.Generation;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>Whatever the bytes are: a message, or a ProtoException. Nothing else, and in bounded time and memory.</summary>
public sealed class HostileBytesTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;

    [Fact]
    public void EveryTruncationIsReadOrRefusedExactlyAsGoogleDoes()
    {
        foreach ((string name, Everything message) in Samples.All)
        {
            byte[] bytes = Encoded.Of(_codec, message);
            for (int length = 0; length <= bytes.Length; length++)
            {
                byte[] part = bytes.AsSpan(0, length).ToArray();
                bool ours = Reads(part);
                Assert.True(ours == GoogleReads(part), $"{name}, the first {length} of {bytes.Length} bytes: read here is {ours}");
            }
        }
    }

    [Fact]
    public void MutatedMessagesNeverFailInAnotherWay()
    {
        int rounds = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 200_000 : 4_000;
        byte[][] seeds = Samples.All.Select(s => Encoded.Of(_codec, s.Message)).ToArray();
        var random = new Random(20240229);
        int accepted = 0;
        for (int round = 0; round < rounds; round++)
        {
            byte[] bytes = Mutation.Of(seeds[random.Next(seeds.Length)], seeds, random);
            if (!Reads(bytes, out ProtoError error))
            {
                // What is refused here is refused there, too, but for values that .NET cannot hold; and this reference lets pass what others refuse: text that is none,
                // tags of more than five bytes, and wire types that do not exist within an entry of a map.
                Assert.True(error is ProtoError.InvalidValue or ProtoError.InvalidText or ProtoError.InvalidWireType or ProtoError.VarintTooLong || !GoogleReads(bytes), $"refused here as {error}, read by Google.Protobuf: {Convert.ToHexString(bytes)}");
                continue;
            }

            // What is accepted here must be a message elsewhere too, and must survive its own way back.
            accepted++;
            Assert.True(GoogleReads(bytes), "accepted here, refused by Google.Protobuf: " + Convert.ToHexString(bytes));
            Everything message = _codec.Decode(bytes);
            byte[] again = Encoded.Of(_codec, message);
            Assert.Equal(again, Encoded.Of(_codec, _codec.Decode(again)));
        }

        Assert.InRange(accepted, rounds / 20, rounds - (rounds / 20)); // else the mutations are too wild or too tame
    }

    [Fact]
    public void RandomBytesNeverFailInAnotherWay()
    {
        var random = new Random(7);
        for (int round = 0; round < 20_000; round++)
        {
            var bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            Reads(bytes);
        }
    }

    [Fact]
    public void ManySmallPiecesOfAListCostNoMoreThanTheirNumber()
    {
        // 200,000 packed fields of one element each, alternating between two lists: quadratic growth would take minutes.
        byte[] list = Enumerable.Repeat(new byte[] { 0x12, 1, 1, 0x3a, 1, 1 }, 200_000).SelectMany(static b => b).ToArray();
        byte[] length = new byte[5];
        int size = 0;
        for (uint rest = (uint)list.Length; ; rest >>= 7)
        {
            length[size++] = (byte)(rest > 127 ? rest | 128 : rest);
            if (rest < 128)
                break;
        }

        byte[] bytes = new byte[] { 0x22 }.Concat(length.Take(size)).Concat(list).ToArray();
        long before = GC.GetAllocatedBytesForCurrentThread();
        Lists lists = _codec.Decode(bytes).Lists!;
        Assert.Equal(200_000, lists.Ints.Length);
        Assert.Equal(200_000, lists.Colors.Count);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1_600_000, 8_000_000);
    }

    private static bool Reads(byte[] bytes) => Reads(bytes, out _);

    private static bool Reads(byte[] bytes, out ProtoError error)
    {
        error = default;
        try
        {
            _codec.Decode(bytes);
            return true;
        }
        catch (ProtoException exception)
        {
            error = exception.Error;
            Assert.InRange(exception.Offset, 0, bytes.Length);
            return false;
        }
    }

    private static bool GoogleReads(byte[] bytes)
    {
        try
        {
            global::Codec.V1.Everything.Parser.ParseFrom(bytes);
            return true;
        }
        catch (InvalidProtocolBufferException)
        {
            return false;
        }
    }
}
