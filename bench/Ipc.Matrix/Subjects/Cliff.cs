using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>What one byte more costs at worst: the largest ratio of the times of two messages whose lengths differ by one, from 1 B to 1 MB, sent and received by one thread.</summary>
/// <remarks>Twin of bench/native/cliff.c. The two lengths in turns, the least time of each: a pause of the machine is no cliff. The lengths are those at which something changes:
/// powers of two, and those with the header of a record or a block before them. Before it is timed each length passes through all slots of the topic, which has few: memory that
/// is used for the first time is another matter.</remarks>
internal sealed class Cliff(string structure, int only = 0, bool isCold = false) : Subject(1)
{
    private const int Turns = 15, Longest = 1 << 20, Slots = 64, ColdPasses = 31;
    private const int Caches = 64 << 20; // more than they hold
    private const long BytesPerTurn = 1 << 20;

    private readonly byte[] _bytes = new byte[Longest + 1];
    private SharedQueue? _queue;
    private RingWriter? _ringWriter;
    private RingReader? _ringReader;
    private TopicWriter? _topicWriter;
    private TopicReader? _topicReader;

    public override bool IsPinned => false;

    /// <summary><c>size.KIND.LENGTH.cs</c> or <c>size.KIND.LENGTH.cold.cs</c>: ns for one message of that length.</summary>
    public static Cliff OfSize(string figure)
    {
        string[] parts = figure.Split('.');
        return new Cliff(parts[1], int.Parse(parts[2], CultureInfo.InvariantCulture), parts[3] == "cold");
    }

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
            return;
        switch (structure)
        {
            case "queue":
                _queue = SharedQueue.Open(name);
                break;
            case "ring":
                _ringWriter = RingWriter.Open(name);
                _ringReader = RingReader.Open(name);
                break;
            default:
                TopicOptions options = new() { BlockCount = Slots };
                _topicReader = TopicReader.Open(name, options);
                _topicWriter = TopicWriter.Open(name, options);
                break;
        }
    }

    public override double Measure(int count)
    {
        if (only > 0)
            return isCold ? ColdTimeOf(only) : WarmTimeOf(only);
        int[] lengths = Enumerable.Range(0, 20).SelectMany(power => new[] { 1 << power, (1 << power) - 8, (1 << power) - 9 }).Where(length => length > 0).Distinct().ToArray();
        return lengths.Max(RatioAt);
    }

    public override void Dispose()
    {
        _queue?.Dispose();
        _ringWriter?.Dispose();
        _ringReader?.Dispose();
        _topicWriter?.Dispose();
        _topicReader?.Dispose();
    }

    private double RatioAt(int length)
    {
        for (int i = 0; i <= Slots; i++)
            Pass(length + (i & 1));
        double shorter = double.MaxValue, longer = double.MaxValue;
        for (int turn = 0; turn < Turns; turn++)
        {
            shorter = Math.Min(shorter, TimeOf(length));
            longer = Math.Min(longer, TimeOf(length + 1));
        }

        return longer / shorter;
    }

    private double WarmTimeOf(int length)
    {
        for (int i = 0; i <= Slots; i++)
            Pass(length);
        return Enumerable.Range(0, Turns).Min(_ => TimeOf(length));
    }

    /// <summary>The median, each after the caches have been filled with something else.</summary>
    private double ColdTimeOf(int length)
    {
        byte[] caches = new byte[Caches];
        for (int i = 0; i < 2000; i++) // compiled, at least
            Pass(length);
        double[] times = new double[ColdPasses];
        for (int i = 0; i < ColdPasses; i++)
        {
            Array.Fill(caches, (byte)i);
            long began = Stopwatch.GetTimestamp();
            Pass(length);
            times[i] = Nanoseconds(began, 1);
        }

        Array.Sort(times);
        return times[ColdPasses / 2];
    }

    private double TimeOf(int length)
    {
        int count = (int)Math.Clamp(BytesPerTurn / length, 20, 2000);
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
            Pass(length);
        return Nanoseconds(began, count);
    }

    private void Pass(int length)
    {
        ReadOnlySpan<byte> bytes = _bytes.AsSpan(0, length);
        bool done = structure switch
        {
            "queue" => TryQueue(bytes),
            "ring" => TryRing(bytes) || TryRing(bytes), // a look at the empty ring gives its space back
            _ => TryTopic(bytes),
        };
        if (!done)
            throw new InvalidOperationException($"A message of {length} bytes did not pass.");
    }

    private bool TryQueue(ReadOnlySpan<byte> bytes)
    {
        if (_queue!.Send(bytes, 0, Deadline.Now) != IpcStatus.Ok || !_queue.TryReceive(out QueueMessage message))
            return false;
        message.Release();
        return true;
    }

    private bool TryRing(ReadOnlySpan<byte> bytes)
    {
        bool written = _ringWriter!.Write(bytes, 0, Deadline.Now) == IpcStatus.Ok;
        if (!_ringReader!.TryRead(out _))
            return false;
        _ringReader.Release();
        return written;
    }

    private bool TryTopic(ReadOnlySpan<byte> bytes) =>
        _topicWriter!.TryPublish(bytes) && _topicReader!.TryRead(out _) == IpcStatus.Ok && _topicReader.Release() == IpcStatus.Ok;
}
