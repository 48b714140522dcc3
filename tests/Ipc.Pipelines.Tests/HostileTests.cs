using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Pipelines.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Pipelines.Tests;

/// <summary>Others do what they like, and when they like.</summary>
public sealed class HostileTests : PipeTest
{
    /// <summary>What has no room is not in the ring, whatever the writer is doing about it just then.</summary>
    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Spin)]
    public async Task AWriteThatLooksForRoomIsCutOffByDisposing(WaitMode mode)
    {
        for (int life = 0; life < 200; life++)
        {
            (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096, WaitMode = mode });
            Task writing = Task.Run(async () => await client.Output.WriteAsync(new byte[10_000], Hang));
            ReadResult read = await server.Input.ReadAsync(Hang); // holds the ring
            client.Dispose();
            server.Input.AdvanceTo(read.Buffer.End);
            await FailsAsync(IpcStatus.PeerClosed, async () => await ReadToEndAsync(server));
            await writing;
            server.Dispose();
        }
    }

    /// <summary>The other side has all of it, before the thread that waited for room knows.</summary>
    [Theory]
    [InlineData(true, WaitMode.Block)]
    [InlineData(true, WaitMode.Spin)]
    [InlineData(false, WaitMode.Block)]
    [InlineData(false, WaitMode.Spin)]
    public async Task AWriteThatHasFoundRoomIsNotCutOffByDisposing(bool isAwaited, WaitMode mode)
    {
        ListenerOptions.WaitMode = mode;
        for (int life = 0; life < 300; life++)
        {
            (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { ReceiveCapacity = 4096, WaitMode = WaitMode.Spin });
            Stream stream = server.AsStream();
            Task writing = Started(async () =>
            {
                if (isAwaited)
                    await stream.WriteAsync(new byte[5000], Hang);
                else
                    stream.Write(new byte[5000]);
            });
            await Started(async () =>
            {
                for (long position = 0; position < 5000;)
                {
                    ReadResult read = await client.Input.ReadAsync(Hang);
                    position += read.Buffer.Length;
                    client.Input.AdvanceTo(read.Buffer.End);
                }

                server.Dispose();
            });
            Assert.True((await client.Input.ReadAsync(Hang)).IsCompleted);
            try
            {
                await writing;
            }
            catch (ObjectDisposedException)
            {
                // it looked how its write had ended
            }

            client.Dispose();
        }
    }

    [Fact]
    public async Task WhatIsHandedOutAfterDisposeIsNotTheRest()
    {
        (IpcPipe client, _) = await PairAsync();
        client.Output.GetMemory(10);
        client.Output.Advance(10);
        client.Dispose();
        client.Output.GetMemory(1000);
        client.Output.Advance(1000);
        Assert.True((await client.Output.FlushAsync(Hang)).IsCompleted);
    }

    [Fact]
    public async Task WhoOnlyLooksGetsAllBeforeTheEnd()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { ReceiveCapacity = 8192 });
        await server.Output.WriteAsync(new byte[7000], Hang);
        server.Dispose();
        long length = 0;
        for (int look = 0; look < 100 && client.Input.TryRead(out ReadResult read); look++)
        {
            length = read.Buffer.Length;
            client.Input.AdvanceTo(read.Buffer.Start, read.Buffer.End); // keeps it
            if (read.IsCompleted)
                break;
        }

        Assert.Equal(7000, length);
    }

    /// <summary>As many bytes as the ring holds, not as many as come while they are copied.</summary>
    [Fact]
    public async Task AReadOfCopiesTakesNoMoreThanTheRing()
    {
        ListenerOptions.CopyReads = true;
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 65536 });
        const long Total = 300 << 20;
        Task writing = Task.Factory.StartNew(
            () =>
            {
                byte[] bytes = new byte[1 << 20];
                using Stream stream = client.AsStream();
                for (long sent = 0; sent < Total; sent += bytes.Length)
                    stream.Write(bytes);
            },
            Hang,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        long longest = 0, received = 0;
        for (; ; )
        {
            ReadResult read = await server.Input.ReadAsync(Hang);
            longest = Math.Max(longest, read.Buffer.Length);
            received += read.Buffer.Length;
            server.Input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
                break;
        }

        await writing;
        Assert.Equal(Total, received);
        Assert.InRange(longest, 1, 65536);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AReaderThatNeverSleepsSeesEveryEnd(bool isClient)
    {
        ListenerOptions.WaitMode = WaitMode.Spin;
        IpcPipeOptions options = new() { SendCapacity = 4096, ReceiveCapacity = 4096, WaitMode = WaitMode.Spin };
        (IpcPipe client, IpcPipe server) = await PairAsync(options);
        (IpcPipe reading, IpcPipe writing) = isClient ? (client, server) : (server, client);
        using CancellationTokenSource cancel = new();
        Task<ReadResult> read = Started(() => reading.Input.ReadAsync(cancel.Token));
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.WaitAsync(Watchdog.Patience, Hang));
        Task<ReadResult> much = Started(() => reading.Input.ReadAtLeastAsync(10_000, Hang)); // more than the ring has
        await writing.Output.WriteAsync(new byte[10_000], Hang);
        Assert.Equal(10_000, (await much.WaitAsync(Watchdog.Patience, Hang)).Buffer.Length);
        reading.Input.AdvanceTo((await much).Buffer.End);
        read = Started(() => reading.Input.ReadAsync(Hang));
        writing.Dispose();
        Assert.True((await read.WaitAsync(Watchdog.Patience, Hang)).IsCompleted);

        (client, server) = await PairAsync(options);
        reading = isClient ? client : server;
        read = Started(() => reading.Input.ReadAsync(Hang));
        reading.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => read.WaitAsync(Watchdog.Patience, Hang));
    }

    /// <summary>Whom the loop has in hand is answered by it, or by Dispose; not twice.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AListenerIsDisposedWhileClientsAsk(bool isPipe)
    {
        byte[] hello = isPipe ? "ipcpipe\x01"u8.ToArray() : [];
        for (int life = 0; life < 300; life++)
        {
            IpcPipeListener listener = IpcPipeListener.Open("ending");
            Task[] asking = new Task[4];
            for (int i = 0; i < asking.Length; i++)
                asking[i] = Task.Run(AskAsync);
            Thread.SpinWait(life * 100);
            listener.Dispose();
            await Task.WhenAll(asking);
        }

        async Task AskAsync()
        {
            try
            {
                (await Connection.ConnectAsync("ending", new ConnectOptions { Hello = hello }, Hang)).Dispose();
            }
            catch (Exception error) when (error is IpcException or TimeoutException)
            {
                // that is how it ends
            }
        }
    }

    /// <summary>Those that wait to be accepted are disposed with it.</summary>
    [Fact]
    public async Task ADisposedListenerHandsOutNobody()
    {
        using IpcPipe client = await IpcPipe.ConnectAsync(Listener.Name, cancellationToken: Hang); // taken at once
        Listener.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await Listener.AcceptAsync(Hang));
        await foreach (IpcPipe _ in Listener.AcceptAllAsync(Hang))
            Assert.Fail("It is disposed.");
    }

    [Fact]
    public async Task WhatNobodyReadsIsNotKept()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        client.Output.GetMemory(10_000);
        client.Output.Advance(10_000);
        server.Dispose();
        for (int i = 0; i < 10; i++)
        {
            Assert.True((await client.Output.FlushAsync(Hang)).IsCompleted);
            Assert.Equal(0, client.Output.UnflushedBytes);
            client.Output.GetMemory(10_000);
            client.Output.Advance(10_000);
        }

        client.Output.Complete();
        Assert.Equal(0, client.Output.UnflushedBytes);
    }

    [Fact]
    public async Task APipeOfAConnectionWhoseServerHasDiedSaysSo()
    {
        OtherProcess server = Peer(isServer: true, "echo", "served");
        using Connection connection = await Connection.ConnectAsync("served", new ConnectOptions { Hello = "ipcpipe\x01"u8.ToArray() }, Hang);
        using ManualResetEventSlim told = new();
        connection.Closed += (_, _) => told.Set();
        server.Kill();
        Assert.True(told.Wait(Watchdog.Patience));
        using IpcPipe pipe = connection.AsPipe();
        Assert.True(pipe.Closed.WaitHandle.WaitOne(Watchdog.Patience));
    }

    [Fact]
    public async Task WhatIsPendingIsNotDisturbedByTheSameHalf()
    {
        (IpcPipe client, _) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        Task<ReadResult> reading = client.Input.ReadAsync(Hang).AsTask();
        Task<FlushResult> flushing = client.Output.WriteAsync(new byte[100_000], Hang).AsTask();
        Assert.Throws<InvalidOperationException>(() => client.Output.GetMemory());
        Assert.Throws<InvalidOperationException>(() => client.Output.Advance(0));
        Assert.Throws<InvalidOperationException>(() => client.Output.Complete());
        Assert.Throws<InvalidOperationException>(() => client.Input.AdvanceTo(default));
        Assert.Throws<InvalidOperationException>(() => client.Input.Complete());
        Assert.True(client.IsOpen);
        client.Input.CancelPendingRead();
        client.Output.CancelPendingFlush();
        Assert.True((await reading).IsCanceled);
        Assert.True((await flushing).IsCanceled);
        client.Input.Complete();
    }

    private static Task Started(Func<Task> action) =>
        Task.Factory.StartNew(action, Hang, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private static Task<ReadResult> Started(Func<ValueTask<ReadResult>> read) =>
        Task.Factory.StartNew(() => read().AsTask(), Hang, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
