using System;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Ipc.Matrix;

/// <summary>64 KB one way: copied into the claim, read in place, one word per line.</summary>
internal sealed class RingBlocks(int count) : Subject(count)
{
    private const int Block = 65536;

    private readonly byte[] _source = new byte[Block];
    private RingEnds _ends = null!;

    /// <summary>What was read, so that the reading cannot be left out.</summary>
    public long Sum { get; private set; }

    public override void Open(string name, Side side) => _ends = new RingEnds(name, side, WaitMode.Spin);

    public override double Measure(int count)
    {
        RingEnds ends = _ends;
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            _source.AsSpan().CopyTo(ends.Claim(Block));
            ends.Writer.Commit(Block, 1);
        }

        ends.ReceiveSmall(); // all has been read
        return Block / Nanoseconds(began, count);
    }

    public override void Answer(int count)
    {
        RingEnds ends = _ends;
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<long> words = MemoryMarshal.Cast<byte, long>(ends.Next().Payload);
            for (int k = 0; k < words.Length; k += 8)
                sum += words[k];
            ends.Reader.Release();
        }

        Sum += sum;
        ends.SendSmall();
    }

    public override void Dispose() => _ends?.Dispose();
}
