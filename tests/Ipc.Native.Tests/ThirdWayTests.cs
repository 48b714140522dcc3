using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>The C library, called from C#, and the C# library are peers like any other two.</summary>
public sealed class ThirdWayTests
{
    private static readonly byte[] _bytes = [1, 2, 3, 250];

    private static NativeDeadline Soon => NativeDeadline.After(TimeSpan.FromSeconds(30));

    private static Deadline CoreSoon => Deadline.After(TimeSpan.FromSeconds(30));

    [Fact]
    public void ARingFromTheBindingToCoreAndBack()
    {
        string name = RegionName.Of();
        using (NativeRingWriter writer = NativeRingWriter.Open(name + ".out"))
        using (RingReader reader = RingReader.Open(name + ".out"))
        {
            Assert.Equal(NativeStatus.Ok, writer.Claim(8, out Span<byte> payload, Soon));
            _bytes.CopyTo(payload);
            Assert.Equal(NativeStatus.Ok, writer.Commit(_bytes.Length, 7));
            Assert.Equal(IpcStatus.Ok, reader.Read(out RingRecord record, CoreSoon));
            Assert.Equal(_bytes, record.Payload.ToArray());
            Assert.Equal(7, record.Type);
            reader.Release();
        }

        using RingWriter core = RingWriter.Open(name + ".in");
        using NativeRingReader native = NativeRingReader.Open(name + ".in");
        Assert.Equal(IpcStatus.Ok, core.Write(_bytes, 9, CoreSoon));
        Assert.Equal(NativeStatus.Ok, native.Read(out NativeRecord got, Soon));
        Assert.Equal(_bytes, got.Payload.ToArray());
        Assert.Equal(9, got.Type);
        native.Release();
    }

    [Fact]
    public void AQueueFromTheBindingToCoreAndBack()
    {
        using NativeQueue native = NativeQueue.Open(RegionName.Of(), new NativeQueueOptions { BlockSize = 64 });
        using SharedQueue core = SharedQueue.Open(RegionName.Of());
        byte[] large = new byte[10_000]; // longer than a block: a loan
        large[9_999] = 5;
        Assert.Equal(NativeStatus.Ok, native.Send(large, 3, Soon));
        Assert.Equal(IpcStatus.Ok, core.Receive(out QueueMessage message, CoreSoon));
        using (message)
            Assert.Equal(large, message.Payload.ToArray());

        Assert.Equal(IpcStatus.Ok, core.Send(_bytes, 4, CoreSoon));
        Assert.Equal(NativeStatus.Ok, native.Receive(out NativeBlock block, Soon));
        Assert.Equal(_bytes, block.Payload.ToArray());
        Assert.Equal(4, block.Type);
        native.Release(ref block);
    }

    [Fact]
    public void ATopicFromTheBindingToCoreAndBack()
    {
        string name = RegionName.Of();
        using NativeTopicWriter writer = NativeTopicWriter.Open(name);
        using NativeTopicReader reader = NativeTopicReader.Open(name);
        using TopicReader coreReader = TopicReader.Open(name);
        using TopicWriter coreWriter = TopicWriter.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Publish(_bytes, 5, 42, Soon));
        Assert.Equal(IpcStatus.Ok, coreReader.Read(out TopicMessage first, CoreSoon));
        Assert.Equal(_bytes, first.Payload.ToArray());
        Assert.Equal(42ul, first.Key);
        Assert.Equal(NativeStatus.Ok, reader.Read(out NativeMessage own, Soon));
        Assert.Equal(_bytes, own.Payload.ToArray());
        Assert.Equal(NativeStatus.Ok, reader.Release());

        Assert.Equal(IpcStatus.Ok, coreWriter.Publish([9], 6, 43, CoreSoon));
        Assert.Equal(NativeStatus.Ok, reader.Read(out NativeMessage second, Soon));
        Assert.Equal(9, second.Payload[0]);
        Assert.Equal((6, 43ul), (second.Type, second.Key));
    }

    [Fact]
    public async Task ACoreClientIsServedByTheBinding()
    {
        string name = RegionName.Of();
        using NativeListener listener = NativeListener.Open(name);
        Task serving = Task.Factory.StartNew(() => Echo(listener), TaskCreationOptions.LongRunning);
        using (Connection client = Connection.Connect(name, new ConnectOptions { Hello = _bytes }))
        {
            Assert.Equal(IpcStatus.Ok, client.Writer.Write(_bytes, 11, CoreSoon));
            Assert.Equal(IpcStatus.Ok, client.Reader.Read(out RingRecord record, CoreSoon));
            Assert.Equal(_bytes, record.Payload.ToArray());
            client.Reader.Release();
        }

        IpcException refused = Assert.Throws<ConnectionRefusedException>(() => Connection.Connect(name));
        Assert.Contains("no hello", refused.Message, StringComparison.Ordinal);
        listener.Dispose();
        await serving.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task AClientOfTheBindingIsServedByCore()
    {
        string name = RegionName.Of();
        using Listener listener = Listener.Open(name);
        Task<NativeConnection> connecting = Task.Factory.StartNew(() => NativeConnection.Connect(name, new NativeConnectOptions { Hello = _bytes, Deadline = Soon }), TaskCreationOptions.LongRunning);
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent asked, CoreSoon));
        Assert.Equal(_bytes, asked.Connection.Hello.ToArray());
        asked.Connection.Accept();
        using NativeConnection client = await connecting;
        Assert.True(client.IsOpen);
        Assert.Equal(Environment.ProcessId, client.PeerPid);
        Assert.Equal(asked.Connection.PeerUserId, client.PeerUser); // which is this one
        Assert.Equal(IpcStatus.Ok, asked.Connection.Writer.Write(_bytes, 2, CoreSoon));
        Assert.Equal(NativeStatus.Ok, client.Reader.Read(out NativeRecord record, Soon));
        Assert.Equal(_bytes, record.Payload.ToArray());
        client.Reader.Release();

        asked.Connection.Shutdown(CloseCode.Shutdown, "enough for today");
        Assert.Equal(NativeStatus.PeerClosed, client.Reader.Read(out _, Soon));
        Assert.Equal("enough for today", client.CloseText);
        Assert.Equal((long)CloseCode.Shutdown, client.CloseCode);
        asked.Connection.Dispose();
    }

    /// <summary>Echoes to who says hello and refuses the rest, until the listener is disposed of.</summary>
    private static void Echo(NativeListener listener)
    {
        while (Next(listener, out NativeEventKind kind, out NativeConnection? connection))
        {
            if (kind == NativeEventKind.Closed)
            {
                connection!.Dispose();
                continue;
            }

            if (kind == NativeEventKind.Connect && connection!.Hello().Length == 0)
            {
                connection.Refuse("no hello");
                continue;
            }

            if (kind == NativeEventKind.Connect)
                connection!.Accept();
            while (connection!.Reader.TryRead(out NativeRecord record) == NativeStatus.Ok)
            {
                connection.Writer.Write(record.Payload, record.Type, Soon);
                connection.Reader.Release();
            }

            listener.Return(connection);
        }
    }

    private static bool Next(NativeListener listener, out NativeEventKind kind, out NativeConnection? connection)
    {
        try
        {
            return listener.Next(out kind, out connection, NativeDeadline.Forever) == NativeStatus.Ok;
        }
        catch (ObjectDisposedException)
        {
            (kind, connection) = (default, null);
            return false;
        }
    }
}
