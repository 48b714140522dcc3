using System;
using System.Diagnostics;
using System.Threading;

namespace Ipc.Tool;

/// <summary>One way: this process sends for a while, the other receives everything and counts.</summary>
internal static class StreamBench
{
    public const string RingRole = "ring-sink", QueueRole = "queue-sink", TopicRole = "topic-sink";
    private const int Bytes = 64, Burst = 256;
    private const ushort Last = ushort.MaxValue;
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(10);

    /// <summary>Nanoseconds per message, from the first sent to the last received.</summary>
    public static double Measure(string role, string name, TimeSpan duration)
    {
        using IDisposable kept = Open(role, name, out Func<byte[], ushort, Deadline, IpcStatus> send);
        using RingReader answer = RingReader.Open(name + "-done", new RingOptions { Capacity = 4096, OpenMode = OpenMode.CreateNew });
        using PeerProcess peer = PeerProcess.Start(role, name);
        if (peer.WaitUntilReady() is { } problem)
            throw new ToolException(ExitCode.Problems, problem);
        byte[] message = new byte[Bytes];
        long sent = 0, began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < duration)
        {
            for (int i = 0; i < Burst; i++)
                Must(send(message, 1, Deadline.After(s_timeout)));
            sent += Burst;
        }

        Must(send(message, Last, Deadline.After(s_timeout)));
        Must(answer.Read(out RingRecord count, Deadline.After(s_timeout)));
        double took = Stopwatch.GetElapsedTime(began).TotalNanoseconds;
        long received = BitConverter.ToInt64(count.Payload);
        answer.Release();
        peer.WaitForEnd();
        return received == sent ? took / sent : throw new ToolException(ExitCode.Problems, $"{sent} sent, {received} received");
    }

    /// <summary>The other process.</summary>
    public static void Serve(string role, string name, Action ready)
    {
        using RingWriter answer = RingWriter.Open(name + "-done", new RingOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout });
        long count = role switch
        {
            RingRole => FromRing(name, ready),
            QueueRole => FromQueue(name, ready),
            _ => FromTopic(name, ready),
        };
        answer.Write(BitConverter.GetBytes(count), 0, Deadline.After(s_timeout));
    }

    private static IDisposable Open(string role, string name, out Func<byte[], ushort, Deadline, IpcStatus> send)
    {
        switch (role)
        {
            case RingRole:
                RingWriter ring = RingWriter.Open(name, new RingOptions { Capacity = 1 << 20, OpenMode = OpenMode.CreateNew });
                send = (message, type, deadline) => ring.TryWrite(message, type) ? IpcStatus.Ok : ring.Write(message, type, deadline);
                return ring;
            case QueueRole:
                SharedQueue queue = SharedQueue.Open(name, new QueueOptions { BlockSize = Bytes, BlockCount = 4096, OpenMode = OpenMode.CreateNew });
                send = (message, type, deadline) => queue.TrySend(message, type) ? IpcStatus.Ok : queue.Send(message, type, deadline);
                return queue;
            default:
                TopicWriter topic = TopicWriter.Open(name, new TopicOptions { BlockSize = Bytes, BlockCount = 1024, OpenMode = OpenMode.CreateNew });
                send = (message, type, deadline) => topic.TryPublish(message, type) ? IpcStatus.Ok : topic.Publish(message, type, 0, deadline);
                return topic;
        }
    }

    private static long FromRing(string name, Action ready)
    {
        using RingReader reader = RingReader.Open(name, new RingOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout });
        ready();
        for (long count = 0; ; count++)
        {
            Must(reader.Read(out RingRecord record, Deadline.After(s_timeout)));
            bool isLast = record.Type == Last;
            reader.Release();
            if (isLast)
                return count;
        }
    }

    private static long FromQueue(string name, Action ready)
    {
        using SharedQueue queue = SharedQueue.Open(name, new QueueOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout });
        ready();
        for (long count = 0; ; count++)
        {
            Must(queue.Receive(out QueueMessage message, Deadline.After(s_timeout)));
            bool isLast = message.Type == Last;
            message.Release();
            if (isLast)
                return count;
        }
    }

    private static long FromTopic(string name, Action ready)
    {
        using TopicReader reader = TopicReader.Open(name, new TopicOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout }, new TopicReaderOptions { Policy = TopicPolicy.Reliable });
        ready();
        for (long count = 0; ; count++)
        {
            Must(reader.Read(out TopicMessage message, Deadline.After(s_timeout)));
            bool isLast = message.Type == Last;
            Must(reader.Release());
            if (isLast)
                return count;
        }
    }

    private static void Must(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new ToolException(ExitCode.Problems, $"a message went wrong: {status}");
    }
}
