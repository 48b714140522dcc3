using System;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>A message as an array, by way of a target that starts with nothing and gives no more than is asked for.</summary>
/// <remarks>So every test that encodes goes through the writer's growth, at every possible position.</remarks>
internal static class Encoded
{
    public static byte[] Of<T>(MessageCodec<T> codec, in T message, int initial = 0)
    {
        var target = new Miser(initial);
        var writer = new ProtoWriter(target.Current, target);
        codec.Write(ref writer, in message);
        return target.Current.AsSpan(0, writer.Written).ToArray();
    }

    private sealed class Miser(int initial) : IPayloadTarget
    {
        public byte[] Current { get; private set; } = new byte[initial];

        public Span<byte> Grow(int written, int needed)
        {
            // A new array each time: a writer that kept the old one would be found out.
            var next = new byte[written + needed];
            Current.AsSpan(0, written).CopyTo(next);
            return Current = next;
        }
    }
}
