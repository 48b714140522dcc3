using System;
using System.Buffers;
using System.Diagnostics;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Runtime.Versioning;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Pipelines.Peer;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Pipelines.Tests;

/// <summary>Ends in good order and otherwise, of this process.</summary>
public sealed class EndTests : PipeTest
{
    [Fact]
    public async Task OneDirectionEndsAndTheOtherGoesOn()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        await client.Output.WriteAsync(new byte[100], Hang);
        await client.Output.CompleteAsync();
        ReadResult all = await server.Input.ReadAtLeastAsync(101, Hang);
        Assert.True(all.IsCompleted);
        Assert.Equal(100, all.Buffer.Length);
        server.Input.AdvanceTo(all.Buffer.End);
        Assert.True((await server.Input.ReadAsync(Hang)).IsCompleted);
        Assert.True(client.IsOpen);
        Task sending = SendAsync(server, 1_000_000, 5, 10_000);
        Assert.Equal(1_000_000, await ReceiveAsync(client, 6));
        await sending;
        server.Input.Complete(); // both halves are over: so is the pipe
        Assert.False(server.IsOpen);
    }

    /// <summary>The other side may have read a write, and acted on it, before the thread that wrote has returned.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AWriteThatHasArrivedIsNotCutOffByDisposing(bool isAwaited)
    {
        for (int life = 0; life < 500; life++)
        {
            (IpcPipe client, IpcPipe server) = await PairAsync();
            await using (server)
            {
                Stream stream = client.AsStream();
                Task writing = Task.Run(async () =>
                {
                    if (isAwaited)
                        await stream.WriteAsync(new byte[100], Hang);
                    else
                        stream.Write(new byte[100]);
                });
                ReadResult read = await server.Input.ReadAsync(Hang);
                client.Dispose();
                server.Input.AdvanceTo(read.Buffer.End);
                read = await server.Input.ReadAsync(Hang);
                Assert.True(read.IsCompleted);
                try
                {
                    await writing;
                }
                catch (ObjectDisposedException)
                {
                    // it looked how its write had ended
                }
            }
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task DisposingInGoodOrderIsTheEndOfTheStream(bool isClient)
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        (IpcPipe leaving, IpcPipe staying) = isClient ? (client, server) : (server, client);
        Stream stream = staying.AsStream();
        await leaving.Output.WriteAsync(new byte[3], Hang);
        Assert.Equal(3, await stream.ReadAsync(new byte[10], Hang));
        ValueTask<int> pending = stream.ReadAsync(new byte[10], Hang);
        Assert.False(pending.IsCompleted);
        leaving.Dispose();
        Assert.Equal(0, await pending);
        Assert.Equal(0, await stream.ReadAsync(new byte[10], Hang));
        Assert.Equal(0, stream.Read(new byte[10]));
        FlushResult flushed = await staying.Output.WriteAsync(new byte[10], Hang);
        Assert.True(flushed.IsCompleted); // nobody reads
        await FailsAsync(IpcStatus.PeerClosed, async () => await stream.WriteAsync(new byte[10], Hang));
        Assert.Equal(IpcStatus.PeerClosed, Assert.Throws<IpcException>(() => stream.Write(new byte[10])).Status);
        Assert.False(staying.IsOpen);
        Assert.True(staying.Closed.WaitHandle.WaitOne(Watchdog.Patience));
    }

    /// <summary>As with a socket: who has gone may have read it, and answered.</summary>
    [Fact]
    public async Task AWriteThatIsInTheRingHasSucceededAlsoWhenTheOtherSideEndsBeforeItReturns()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        Stream stream = client.AsStream();
        using Looked bytes = new(() =>
        {
            server.Dispose();
            Watchdog.Until(() => !client.IsOpen, "the client to see it");
        });
        await stream.WriteAsync(bytes.All, Hang);
        await stream.FlushAsync(Hang);
        stream.Flush();
        await FailsAsync(IpcStatus.PeerClosed, async () => await stream.WriteAsync(new byte[1], Hang)); // this one is not
        await FailsAsync(IpcStatus.PeerClosed, async () => await stream.FlushAsync(Hang));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task CompletingWithAnErrorIsOneAtTheOtherSide(bool isClient)
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        (IpcPipe failing, IpcPipe reading) = isClient ? (client, server) : (server, client);
        await failing.Output.WriteAsync(new byte[3], Hang);
        await failing.Output.CompleteAsync(new InvalidOperationException("out of paper"));
        ReadResult before = await reading.Input.ReadAsync(Hang);
        Assert.Equal(3, before.Buffer.Length); // what came before it is true
        reading.Input.AdvanceTo(before.Buffer.End);
        IpcException error = await FailsAsync(IpcStatus.PeerClosed, async () => await reading.Input.ReadAsync(Hang));
        Assert.Contains("out of paper", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AbortingAndDisposingInTheMiddleOfAWriteAreNeverTakenForAnEnd()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        Task<FlushResult> flushing = client.Output.WriteAsync(new byte[100_000], Hang).AsTask();
        Assert.False(flushing.IsCompleted);
        client.Dispose();
        Assert.True((await flushing).IsCompleted);
        await FailsAsync(IpcStatus.PeerClosed, async () => await ReadToEndAsync(server));

        (client, server) = await PairAsync();
        server.Abort("the server has had enough");
        IpcException error = await FailsAsync(IpcStatus.PeerClosed, async () => await ReadToEndAsync(client));
        Assert.Contains("had enough", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CompletingWithoutRoomIsSentWhenThereIsRoom()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        Content.Fill(client.Output.GetSpan(50_000), 0);
        client.Output.Advance(50_000);
        client.Output.Complete();
        client.Input.Complete(); // both: the pipe ends when all of it is sent
        Assert.Equal(50_000, await ReceiveAsync(server, 1));
        Watchdog.Until(() => !client.IsOpen, "the pipe to end");
    }

    [Fact]
    public async Task ReadsAreCancelledAndNothingIsLost()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        foreach ((IpcPipe reading, IpcPipe writing) in new[] { (client, server), (server, client) })
        {
            reading.Input.CancelPendingRead(); // before
            Assert.True((await reading.Input.ReadAsync(Hang)).IsCanceled);
            for (int i = 0; i < 20; i++)
            {
                ValueTask<ReadResult> pending = reading.Input.ReadAsync(Hang);
                reading.Input.CancelPendingRead();
                Assert.True((await pending).IsCanceled);
                using CancellationTokenSource cancel = new();
                Task<ReadResult> waiting = reading.Input.ReadAsync(cancel.Token).AsTask();
                await cancel.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
                await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await reading.Input.ReadAsync(cancel.Token));
                await writing.Output.WriteAsync(new byte[] { (byte)i }, Hang);
                ReadResult read = await reading.Input.ReadAsync(Hang);
                Assert.Equal((byte)i, read.Buffer.FirstSpan[0]);
                reading.Input.AdvanceTo(read.Buffer.End);
            }
        }
    }

    [Fact]
    public async Task FlushesAreCancelledAndNothingIsLost()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        byte[] bytes = new byte[30_000];
        Content.Fill(bytes, 0);
        ValueTask<FlushResult> pending = client.Output.WriteAsync(bytes, Hang);
        client.Output.CancelPendingFlush();
        Assert.True((await pending).IsCanceled);
        using CancellationTokenSource cancel = new();
        Content.Fill(bytes, 30_000);
        Task<FlushResult> waiting = client.Output.WriteAsync(bytes, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        Assert.True(client.Output.UnflushedBytes > 50_000);
        Task flushing = client.Output.CompleteAsync().AsTask();
        Assert.Equal(60_000, await ReceiveAsync(server, 9));
        await flushing;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task DisposingElsewhereEndsWhatIsPending(bool isClient)
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096, ReceiveCapacity = 4096 });
        IpcPipe pipe = isClient ? client : server;
        Task<ReadResult> reading = pipe.Input.ReadAsync(Hang).AsTask();
        Task<FlushResult> flushing = pipe.Output.WriteAsync(new byte[100_000], Hang).AsTask();
        pipe.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => reading);
        Assert.True((await flushing).IsCompleted);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => _ = await pipe.AsStream().ReadAsync(new byte[1], Hang));
        Assert.True(pipe.Closed.WaitHandle.WaitOne(Watchdog.Patience));
    }

    [Fact]
    public async Task WhatACallbackOfClosedThrowsGoesNoFurther()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        using ManualResetEventSlim called = new();
        using CancellationTokenRegistration first = server.Closed.Register(called.Set);
        using CancellationTokenRegistration second = server.Closed.Register(static () => throw new InvalidOperationException("of a test")); // runs first
        client.Dispose();
        await server.Input.ReadAsync(Hang);
        Assert.True(called.Wait(Watchdog.Patience)); // the others are called, and this process goes on
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ASynchronousReadEndsWhenThePipeIsDisposed(bool isClient)
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        IpcPipe pipe = isClient ? client : server;
        Stream stream = pipe.AsStream();
        Task<int> reading = Task.Factory.StartNew(() => stream.Read(new byte[1]), None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Task.Delay(20);
        pipe.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => reading);
    }

    [Fact]
    public async Task DisposingWhileOthersReadAndWriteHarmsNobody()
    {
        for (int i = 0; i < 100; i++)
        {
            (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
            using CancellationTokenSource clientGoes = new(), serverGoes = new();
            CancellationToken clientEnd = clientGoes.Token, serverEnd = serverGoes.Token;
            Task[] busy = [Ignoring(() => SendAsync(client, 10_000_000, i, 5000)), Ignoring(() => ReceiveAsync(server, i, serverEnd)), Ignoring(() => ReceiveAsync(client, i, clientEnd))];
            await Task.Delay(i % 5);
            (i % 2 == 0 ? clientGoes : serverGoes).Cancel();
            (i % 2 == 0 ? client : server).Dispose();
            await Task.WhenAll(busy);
        }

        static Task Ignoring(Func<Task> action) => Task.Run(async () =>
        {
            try
            {
                await action();
            }
            catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException or OperationCanceledException)
            {
                // that is how it ends
            }
        });
    }

    [Fact]
    public async Task AServersEndIsAnErrorAndAStoppedOneServesOn()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        Listener.Stop();
        await FailsAsync(IpcStatus.Stopped, async () => await accepting);
        await Assert.ThrowsAsync<ConnectionRefusedException>(() => IpcPipe.ConnectAsync("pipe", cancellationToken: Hang));
        await server.Output.WriteAsync(new byte[5], Hang);
        Task<ReadResult> reading = server.Input.ReadAsync(Hang).AsTask();
        Listener.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => reading);
        Assert.Equal(5, (await client.Input.ReadAsync(Hang)).Buffer.Length);
        await FailsAsync(IpcStatus.PeerClosed, async () => await ReadToEndAsync(client));
    }

    [Fact]
    public async Task TheListenerTellsWhoAsksAndTakesNobodyElse()
    {
        Assert.Equal("pipe", Listener.Name);
        ConnectionRefusedException refused = await Assert.ThrowsAsync<ConnectionRefusedException>(() => Connection.ConnectAsync("pipe", cancellationToken: Hang));
        Assert.Contains("pipes", refused.Message, StringComparison.Ordinal);
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { Hello = new byte[] { 7, 8 } });
        Assert.Equal([7, 8], server.Hello.ToArray());
        Assert.Equal(Environment.ProcessId, server.PeerProcessId);
        Assert.Equal(Environment.ProcessId, client.PeerProcessId);
        Assert.Equal(IpcStatus.InvalidArgument, Assert.Throws<IpcException>(() => IpcPipe.Connect("pipe", new IpcPipeOptions { Hello = new byte[233] })).Status);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await Listener.AcceptAsync(new CancellationToken(true)));
        await FailsAsync(IpcStatus.NotFound, () => IpcPipe.ConnectAsync("nobody", cancellationToken: Hang));
    }

    [Theory]
    [InlineData(9, 1)]    // no such type
    [InlineData(0, 1)]
    [InlineData(1, 0)]    // nothing of it
    [InlineData(2, 1)]    // an end with something
    [InlineData(3, 513)]  // words without end
    public async Task WhatIsNoPipesIsCorrupt(ushort type, int length)
    {
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        byte[] hello = "ipcpipe\x01"u8.ToArray();
        using Connection hostile = await Connection.ConnectAsync("pipe", new ConnectOptions { Hello = hello, LoanBudget = 0 }, Hang);
        using IpcPipe server = await accepting;
        Task<ReadResult> pending = server.Input.ReadAsync(Hang).AsTask();
        Assert.True(hostile.Writer.TryWrite(new byte[length], type));
        await FailsAsync(IpcStatus.Corrupt, () => pending);
        await FailsAsync(IpcStatus.Corrupt, async () => await server.Input.ReadAsync(Hang));
        Assert.Equal(CloseCode.Protocol, hostile.PeerCloseCode);
    }

    /// <summary>Complete throws nothing at who has no more to say: whoever reads has spoilt the ring.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [SupportedOSPlatform("linux")]
    public async Task CompletingARingThatItsReaderHasSpoiltEndsIt(bool fails)
    {
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        const int Body = Wire.Region.Participants, Hello = Body + Wire.Connection.Hello;
        using LiveRegion listener = new(Regions.FileOf("pipe"));
        using FakeClient hostile = FakeClient.Connect(Regions, "pipe", listener, image =>
        {
            image[Body + Wire.Connection.HelloLength] = 8;
            image.Text(Hello, "ipcpipe\x01");
        });
        using IpcPipe server = await accepting;
        await server.Output.WriteAsync(new byte[3000], Hang);
        server.Output.GetMemory(2000);
        server.Output.Advance(2000);
        hostile.Region.U64(Body + Wire.Connection.Rings + Wire.Ring.Size + Wire.Ring.FreePosition, 8);
        server.Output.Complete(fails ? new InvalidOperationException("out of paper") : null);
        Assert.Equal(0, server.Output.UnflushedBytes);
        Assert.False(server.IsOpen);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task WhoOnlyLooksIsToldThatThePipeIsDisposed(bool isClient)
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        IpcPipe pipe = isClient ? client : server;
        pipe.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pipe.Input.TryRead(out _));
    }

    [Fact]
    public async Task AnAcceptThatWasCancelledIsNotKept()
    {
        WeakReference[] tokens = new WeakReference[10];
        for (int i = 0; i < tokens.Length; i++)
            tokens[i] = await CancelOneAsync();
        for (int i = 0; i < 100 && tokens.Any(token => token.IsAlive); i++)
        {
            GC.Collect();
            await Task.Delay(10, Hang);
        }

        Assert.DoesNotContain(tokens, token => token.IsAlive);
        await PairAsync();

        async Task<WeakReference> CancelOneAsync()
        {
            using CancellationTokenSource cancel = new();
            Task<IpcPipe> accepting = Listener.AcceptAsync(cancel.Token).AsTask();
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => accepting);
            return new WeakReference(cancel);
        }
    }

    [Fact]
    public async Task IdlePipesHoldNoThreadsAndEachStillGetsItsOwn()
    {
        const int Count = 150;
        ListenerOptions.MaxConnections = Count;
        (IpcPipe Client, IpcPipe Server)[] pairs = new (IpcPipe, IpcPipe)[Count];
        for (int i = 0; i < Count; i++)
            pairs[i] = await PairAsync(new IpcPipeOptions { SendCapacity = 4096, ReceiveCapacity = 4096 });
        Task<ReadResult>[] reads = [.. pairs.Select(pair => pair.Server.Input.ReadAsync(Hang).AsTask())];
        using Process self = Process.GetCurrentProcess();
        Assert.True(self.Threads.Count < 60, $"{self.Threads.Count} threads");
        for (int i = 0; i < Count; i++)
            await pairs[i].Client.Output.WriteAsync(new byte[] { (byte)i }, Hang);
        for (int i = 0; i < Count; i++)
            Assert.Equal((byte)i, (await reads[i]).Buffer.FirstSpan[0]);
        Assert.Equal(Count, Listener.Count);
    }

    /// <summary>Bytes that something happens to when they are copied.</summary>
    private sealed class Looked(Action happens) : MemoryManager<byte>
    {
        private readonly byte[] _bytes = new byte[10];

        public ReadOnlyMemory<byte> All => CreateMemory(_bytes.Length);

        public override Span<byte> GetSpan()
        {
            happens();
            return _bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }

    private static CancellationToken None => CancellationToken.None;
}
