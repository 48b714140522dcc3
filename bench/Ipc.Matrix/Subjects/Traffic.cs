using System;
using System.Globalization;
using System.IO;

namespace Ipc.Matrix;

/// <summary>What a figure such as queue.8.4-4.cs says: 8 bytes, 4 senders, 4 receivers.</summary>
internal sealed record Traffic(bool IsTopic, int Senders, int Receivers)
{
    public const ushort EndType = 2;
    public const int Size = 8;
    private const int Blocks = 256;
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

    public static QueueOptions QueueOptions() => new() { BlockSize = Size, BlockCount = Blocks, Participants = Most };

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

    private static TopicOptions TopicOptions() => new() { BlockSize = Size, BlockCount = Blocks, MaxReaders = Most, MaxWriters = Most };
}

/// <summary>One worker's end: does a round's share.</summary>
internal interface ITrafficEnd : IDisposable
{
    void Run(int count);
}

internal sealed class QueueSender(SharedQueue queue) : ITrafficEnd
{
    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Traffic.Check(queue.Claim(Traffic.Size, Deadline.Never, default, out QueueClaim claim));
            BitConverter.TryWriteBytes(claim.Payload, (long)i);
            claim.Commit(Traffic.Size, 1);
        }
    }

    public void Dispose() => queue.Dispose();
}

internal sealed class QueueReceiver(SharedQueue queue) : ITrafficEnd
{
    private long _sum;

    public void Run(int count)
    {
        for (; ; )
        {
            Traffic.Check(queue.Receive(Deadline.Never, default, out QueueMessage message));
            bool end = message.Type == Traffic.EndType;
            _sum += message.Payload[0];
            message.Release();
            if (end)
                return;
        }
    }

    public void Dispose() => queue.Dispose();
}

internal sealed class TopicSender(TopicWriter topic) : ITrafficEnd
{
    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Traffic.Check(topic.Claim(Traffic.Size, Deadline.Never, default, out TopicClaim claim));
            BitConverter.TryWriteBytes(claim.Payload, (long)i);
            claim.Commit(Traffic.Size, 1, 0);
        }
    }

    public void Dispose() => topic.Dispose();
}

internal sealed class TopicReceiver(TopicReader topic) : ITrafficEnd
{
    private long _sum;

    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Traffic.Check(topic.Read(Deadline.Never, default, out TopicMessage message));
            _sum += message.Payload[0];
            Traffic.Check(topic.Release());
        }
    }

    public void Dispose() => topic.Dispose();
}
