using System;
using System.Runtime.CompilerServices;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A span refers to nobody: its memory has to stay when the object it came from is dropped, or disposed, and collected.</summary>
public sealed class DroppedOwnerTests : RegionTest
{
    /// <summary>Makes an owner, takes a span from it, disposes the owner or not, and keeps nothing but the span.</summary>
    private delegate ReadOnlySpan<byte> Taking(bool disposes);

    public DroppedOwnerTests() => LeavesFiles = true;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfARingsRecordStays(bool disposed) => Stays(RingRecordOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfARingsClaimStays(bool disposed) => Stays(RingClaimOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfATopicsMessageStays(bool disposed) => Stays(TopicMessageOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfATopicsClaimStays(bool disposed) => Stays(TopicClaimOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfAQueuesMessageStays(bool disposed) => Stays(QueueMessageOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfAQueuesClaimStays(bool disposed) => Stays(QueueClaimOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfAConnectionsRecordStays(bool disposed)
    {
        using EchoServer server = new("echo");
        Stays(ConnectionRecordOf, disposed, "message");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanOfAConnectionsClaimStays(bool disposed)
    {
        using EchoServer server = new("echo");
        Stays(ConnectionClaimOf, disposed, "message");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSpanThatAServerReadsStays(bool disposed) => Stays(ServersRecordOf, disposed, "message");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WithoutASpanTheMemoryGoes(bool disposed)
    {
        Goes(ReleasedRingOf, disposed);
        Goes(ReleasedTopicOf, disposed);
        if (disposed)
            Goes(ReleasedQueueOf, disposed); // who drops a queue leaves its memory: nobody counts what is out
    }

    private static void Stays(Taking taking, bool disposed, string content)
    {
        ReadOnlySpan<byte> span = Taken(taking, disposed);
        MappedMemory.Collect();
        string? behind = MappedMemory.Behind(span);
        Assert.NotNull(behind);
        if (disposed)
        {
            Assert.DoesNotContain("/", behind, StringComparison.Ordinal); // what the region had is given back
            Assert.Equal(new byte[content.Length], span.ToArray());
        }
        else
        {
            Assert.Contains("/", behind, StringComparison.Ordinal);
            Assert.Equal(content, System.Text.Encoding.UTF8.GetString(span));
        }
    }

    private static void Goes(Taking taking, bool disposed)
    {
        ReadOnlySpan<byte> span = Taken(taking, disposed);
        MappedMemory.Collect();
        Assert.DoesNotContain("/", MappedMemory.Behind(span) ?? "", StringComparison.Ordinal);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<byte> Taken(Taking taking, bool disposes) => taking(disposes);

    private static ReadOnlySpan<byte> RingRecordOf(bool disposes)
    {
        RingWriter writer = RingWriter.Open("ring", Small());
        Assert.True(writer.TryWrite("message"u8));
        RingReader reader = RingReader.Open("ring", Small());
        Assert.True(reader.TryRead(out RingRecord record));
        if (disposes)
            reader.Dispose();
        return record.Payload;
    }

    private static ReadOnlySpan<byte> RingClaimOf(bool disposes)
    {
        RingWriter writer = RingWriter.Open("ring", Small());
        Assert.True(writer.TryClaim(7, out Span<byte> payload));
        "message"u8.CopyTo(payload);
        if (disposes)
            writer.Dispose();
        return payload;
    }

    private static ReadOnlySpan<byte> TopicMessageOf(bool disposes)
    {
        TopicReader reader = TopicReader.Open("topic");
        TopicWriter writer = TopicWriter.Open("topic");
        Assert.True(writer.TryPublish("message"u8));
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        if (disposes)
            reader.Dispose();
        return message.Payload;
    }

    private static ReadOnlySpan<byte> TopicClaimOf(bool disposes)
    {
        TopicWriter writer = TopicWriter.Open("topic");
        Assert.True(writer.TryClaim(7, out TopicClaim claim));
        Span<byte> payload = claim.Payload;
        "message"u8.CopyTo(payload);
        if (disposes)
            writer.Dispose();
        return payload;
    }

    private static ReadOnlySpan<byte> QueueMessageOf(bool disposes)
    {
        SharedQueue queue = SharedQueue.Open("queue");
        Assert.True(queue.TrySend("message"u8));
        Assert.True(queue.TryReceive(out QueueMessage message));
        if (disposes)
            queue.Dispose();
        return message.Payload;
    }

    private static ReadOnlySpan<byte> QueueClaimOf(bool disposes)
    {
        SharedQueue queue = SharedQueue.Open("queue");
        Assert.True(queue.TryClaim(7, out QueueClaim claim));
        Span<byte> payload = claim.Payload;
        "message"u8.CopyTo(payload);
        if (disposes)
            queue.Dispose();
        return payload;
    }

    private static ReadOnlySpan<byte> ConnectionRecordOf(bool disposes)
    {
        Connection connection = Connection.Connect("echo");
        Assert.Equal(IpcStatus.Ok, connection.Writer.Write("message"u8, 0, Hang));
        Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out RingRecord record, Hang));
        if (disposes)
            connection.Dispose();
        return record.Payload;
    }

    private static ReadOnlySpan<byte> ConnectionClaimOf(bool disposes)
    {
        Connection connection = Connection.Connect("echo");
        Assert.True(connection.Writer.TryClaim(7, out Span<byte> payload));
        "message"u8.CopyTo(payload);
        if (disposes)
            connection.Dispose();
        return payload;
    }

    private static ReadOnlySpan<byte> ServersRecordOf(bool disposes)
    {
        Listener listener = Listener.Open("listener");
        Background connecting = Run(static () =>
        {
            Connection client = Connection.Connect("listener", new ConnectOptions { Deadline = Hang });
            Assert.Equal(IpcStatus.Ok, client.Writer.Write("message"u8, 0, Hang));
        });
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent asks, Hang));
        Connection connection = asks.Connection;
        connection.Accept();
        connecting.Join();
        Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out RingRecord record, Hang));
        if (disposes)
            listener.Dispose(); // and the connection with it
        return record.Payload;
    }

    private static ReadOnlySpan<byte> ReleasedRingOf(bool disposes)
    {
        RingWriter writer = RingWriter.Open("ring", Small());
        Assert.True(writer.TryWrite("message"u8));
        RingReader reader = RingReader.Open("ring", Small());
        Assert.True(reader.TryRead(out RingRecord record));
        reader.Release();
        if (disposes)
            reader.Dispose();
        return record.Payload;
    }

    private static ReadOnlySpan<byte> ReleasedTopicOf(bool disposes)
    {
        TopicReader reader = TopicReader.Open("topic");
        TopicWriter writer = TopicWriter.Open("topic");
        Assert.True(writer.TryPublish("message"u8));
        Assert.Equal(IpcStatus.Ok, reader.TryRead(out TopicMessage message));
        Assert.Equal(IpcStatus.Ok, reader.Release());
        if (disposes)
            reader.Dispose();
        return message.Payload;
    }

    private static ReadOnlySpan<byte> ReleasedQueueOf(bool disposes)
    {
        SharedQueue queue = SharedQueue.Open("queue");
        Assert.True(queue.TrySend("message"u8));
        Assert.True(queue.TryReceive(out QueueMessage message));
        message.Release();
        if (disposes)
            queue.Dispose();
        return message.Payload;
    }
}
