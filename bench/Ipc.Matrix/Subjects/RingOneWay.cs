using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;

namespace Ipc.Matrix;

/// <summary>64 B one way: filled in place, each published by itself, read in place and released one by one.</summary>
internal sealed class RingOneWay(int count) : Subject(count)
{
    private const int Words = RingEnds.Small / sizeof(long);

    private RingEnds _ends = null!;

    public override void Open(string name, Side side) => _ends = new RingEnds(name, side, WaitMode.Spin);

    public override double Measure(int count)
    {
        RingEnds ends = _ends;
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            Span<long> words = MemoryMarshal.Cast<byte, long>(ends.Claim(RingEnds.Small));
            for (int k = 0; k < words.Length; k++)
                words[k] = i + k;
            ends.Writer.Commit(RingEnds.Small, 1);
        }

        ends.ReceiveSmall(); // all has been read
        return 1000 / Nanoseconds(began, count);
    }

    public override void Answer(int count)
    {
        RingEnds ends = _ends;
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            foreach (long word in MemoryMarshal.Cast<byte, long>(ends.Next().Payload))
                sum += word;
            ends.Reader.Release();
        }

        long expected = (long)count * (count - 1) / 2 * Words + (long)count * (Words * (Words - 1) / 2);
        if (sum != expected)
            throw new InvalidDataException($"The words add up to {sum} instead of {expected}.");
        ends.SendSmall();
    }

    public override void Dispose() => _ends?.Dispose();
}
