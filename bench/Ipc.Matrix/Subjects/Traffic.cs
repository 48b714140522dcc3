using System;
using System.Globalization;
using System.IO;

namespace Ipc.Matrix;

/// <summary>What a figure such as queue.8.4-4.cs says: 8 bytes, 4 senders, 4 receivers.</summary>
internal sealed record Traffic(bool IsTopic, int Senders, int Receivers)
{
    public const ushort EndType = 2;
    public const int Size = 8;
    private const int QueueBlocks = 256; // as the limit beside it; a topic has the default
    private const int Most = 65;

    /// <summary>Messages in a round of about 100 ms.</summary>
    public int Count => 1_200_000 / (IsTopic ? Receivers : 1);

    public static Traffic Of(string figure)
    {
        string[] parts = figure.Split('.', '-');
        if (parts.Length != 5 || parts[0] is not ("queue" or "topic") || parts[1] != "8")
            throw new ArgumentException($"{figure} is no figure of 8-byte traffic.", nameof(figure));
        return new Traffic(parts[0] == "topic", int.Parse(parts[2], CultureInfo.InvariantCulture), int.Parse(parts[3], CultureInfo.InvariantCulture));
    }

    public static QueueOptions QueueOptions() => new() { BlockSize = Size, BlockCount = QueueBlocks, Participants = Most };

    public static void Check(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new IOException($"It ended with {status}.");
    }

    public ITrafficEnd Open(string name, bool sends) => (IsTopic, sends) switch
    {
        (true, true) => new TopicSender(TopicWriter.Open(name, TopicOptions())),
        (true, false) => new TopicReceiver(TopicReader.Open(name, TopicOptions())),
        (false, true) => new QueueSender(SharedQueue.Open(name, QueueOptions())),
        (false, false) => new QueueReceiver(SharedQueue.Open(name, QueueOptions())),
    };

    private static TopicOptions TopicOptions() => new() { BlockSize = Size, MaxReaders = Most, MaxWriters = Most };
}
