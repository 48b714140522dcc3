using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Loops of another kind: a wait for any of several, and the system's poll.</summary>
public sealed class ReadyHandleTests : QueueTest
{
    private static bool IsSignalled(WaitHandle handle) => handle.WaitOne(Watchdog.Patience);

    [Fact]
    public async Task OneLoopWaitsForObjectsOfEveryKind()
    {
        SharedQueue queue = Queue();
        using RingWriter ringWriter = RingWriter.Open("ring", Small());
        using RingReader ring = RingReader.Open("ring", Small());
        using TopicWriter topicWriter = TopicWriter.Open("topic");
        using TopicReader topic = TopicReader.Open("topic");
        using Listener listener = Listener.Open("server");
        using ReadyHandle queueReady = queue.GetReadyHandle();
        using ReadyHandle ringReady = ring.GetReadyHandle();
        using ReadyHandle topicReady = topic.GetReadyHandle();
        using ReadyHandle listenerReady = listener.GetReadyHandle();
        WaitHandle[] all = [queueReady, ringReady, topicReady, listenerReady];
        Assert.Equal(WaitHandle.WaitTimeout, WaitHandle.WaitAny(all, 0));

        for (int round = 0; round < 100; round++)
        {
            Assert.True(topicWriter.TryPublish(Number(round)));
            Assert.Equal(2, WaitHandle.WaitAny(all, Watchdog.Patience));
            Assert.Equal(IpcStatus.Ok, topic.TryRead(out TopicMessage price));
            Assert.Equal(round, BitConverter.ToInt32(price.Payload));
            Assert.Equal(IpcStatus.Ok, topic.Release());
            topicReady.Arm();

            Assert.True(ringWriter.TryWrite(Number(round)));
            Assert.Equal(1, WaitHandle.WaitAny(all, Watchdog.Patience));
            Assert.True(ring.TryRead(out RingRecord record));
            Assert.Equal(round, BitConverter.ToInt32(record.Payload));
            ring.Release();
            ringReady.Arm();

            SendNumber(queue, round);
            Assert.Equal(0, WaitHandle.WaitAny(all, Watchdog.Patience));
            ReceiveNumber(queue, round);
            Assert.False(queue.TryReceive(out _));
            queueReady.Arm();
        }

        Task<Connection> connecting = Connection.ConnectAsync("server", new ConnectOptions { Deadline = Hang });
        Assert.Equal(3, WaitHandle.WaitAny(all, Watchdog.Patience));
        Assert.True(listener.TryNext(out ListenerEvent next));
        Assert.Equal(ListenerEventKind.Connect, next.Kind);
        next.Connection.Accept();
        listener.Return(next.Connection);
        Assert.False(listener.TryNext(out _));
        listenerReady.Arm();
        using Connection client = await connecting;
        using (ReadyHandle clientReady = client.Reader.GetReadyHandle())
        {
            Assert.True(client.Writer.TryWrite(Number(5)));
            Assert.Equal(3, WaitHandle.WaitAny(all, Watchdog.Patience));
            Assert.True(listener.TryNext(out next));
            Assert.Equal(ListenerEventKind.Readable, next.Kind);
            Assert.True(next.Connection.Reader.TryRead(out RingRecord asked));
            Assert.Equal(5, BitConverter.ToInt32(asked.Payload));
            Assert.True(next.Connection.Writer.TryWrite(Number(6)));
            Assert.True(IsSignalled(clientReady));
            Assert.True(client.Reader.TryRead(out _));
        }
    }

    [Fact]
    public void WhatIsThereWhenItIsArmedSignalsAtOnce()
    {
        SharedQueue queue = Queue();
        SendNumber(queue, 1);
        SendNumber(queue, 2);
        using ReadyHandle ready = queue.GetReadyHandle();
        Assert.True(IsSignalled(ready));
        ReceiveNumber(queue, 1);
        ready.Arm();
        Assert.True(IsSignalled(ready));
        ReceiveNumber(queue, 2);
        ready.Arm();
        ready.Arm(); // it is
        Assert.False(ready.WaitOne(0));
    }

    /// <summary>As a loop of GLib, libuv or Node waits: for a descriptor.</summary>
    [Fact]
    public void ADescriptorIsReadableWhileThereIsSomething()
    {
        SharedQueue queue = Queue();
        using ReadyHandle ready = queue.GetReadyHandle();
        SafeHandle descriptor = ready.Descriptor;
        Assert.Same(descriptor, ready.Descriptor);
        Assert.False(IsReadable(descriptor, milliseconds: 0));
        for (int round = 0; round < 50; round++)
        {
            SendNumber(queue, round);
            Assert.True(IsReadable(descriptor, (int)Watchdog.Patience.TotalMilliseconds));
            Assert.True(IsReadable(descriptor, milliseconds: 0)); // until it is armed
            ReceiveNumber(queue, round);
            ready.Arm();
            Assert.False(IsReadable(descriptor, milliseconds: 0));
        }

        SendNumber(queue, 7);
        Assert.True(IsSignalled(ready));
        using SharedQueue other = SharedQueue.Open("queue");
        using ReadyHandle late = other.GetReadyHandle();
        Assert.True(IsSignalled(late));
        Assert.True(IsReadable(late.Descriptor, milliseconds: 0)); // asked for when it was signalled already
        ReceiveNumber(queue, 7);
    }

    [Fact]
    public void StopAndDisposeOfTheObjectSignal()
    {
        SharedQueue queue = Queue();
        using ReadyHandle ready = queue.GetReadyHandle();
        queue.Stop();
        Assert.True(IsSignalled(ready));
        queue.Resume();
        ready.Arm();
        Assert.False(ready.WaitOne(0));
        queue.Dispose();
        Assert.True(IsSignalled(ready));

        using RingWriter writer = RingWriter.Open("ring", Small());
        RingReader reader = RingReader.Open("ring", Small());
        using ReadyHandle readerReady = reader.GetReadyHandle();
        writer.Dispose();
        Assert.True(IsSignalled(readerReady));
        Assert.False(reader.TryRead(out _));
        Assert.Equal(IpcStatus.PeerClosed, reader.Wait(Deadline.Now));
        reader.Dispose();
    }

    /// <summary>The object is free for other waits when the handle is gone.</summary>
    [Fact]
    public void AHandleThatIsDisposedWatchesNoMore()
    {
        using Listener listener = Listener.Open("server");
        ReadyHandle ready = listener.GetReadyHandle();
        Assert.Throws<InvalidOperationException>(() => listener.TryNext(out _)); // armed: it watches
        ready.Dispose();
        Assert.False(listener.TryNext(out ListenerEvent _)); // the wait is over
        Assert.Throws<ObjectDisposedException>(ready.Arm);
        Assert.Throws<ObjectDisposedException>(() => ready.Descriptor);
        ready.Dispose();
    }

    private static unsafe bool IsReadable(SafeHandle descriptor, int milliseconds)
    {
        PollDescriptor one = new() { Descriptor = (int)descriptor.DangerousGetHandle(), Events = 1 };
        int count = poll(&one, 1, milliseconds);
        Assert.True(count >= 0);
        return count == 1 && (one.Returned & 1) != 0;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }

    [DllImport("libc", SetLastError = true)]
    private static extern unsafe int poll(PollDescriptor* descriptors, nuint count, int milliseconds);

    /// <summary>Of objects for one thread: nobody looks at them any more when Dispose returns.</summary>
    [Fact]
    public void WhatItWaitedForIsFreeWhenItIsDisposed()
    {
        using Listener listener = Listener.Open("server");
        for (int round = 0; round < 500; round++)
        {
            listener.GetReadyHandle().Dispose();
            Assert.False(listener.TryNext(out _)); // which throws while a wait is pending
        }
    }
}
