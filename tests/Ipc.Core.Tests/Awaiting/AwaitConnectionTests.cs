using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

#pragma warning disable CA2012 // what becomes of a ValueTask that is left pending is what is tested

namespace Ipc.Core.Tests;

/// <summary>Connecting, and serving, without a thread that waits.</summary>
public sealed class AwaitConnectionTests : RegionTest
{
    private static ConnectOptions Within(Deadline deadline) => new() { Deadline = deadline, LoanBudget = 0 };

    private static async Task<Connection> Soon(Task<Connection> connecting) => await connecting.WaitAsync(Watchdog.Patience);

    [Fact]
    public async Task ConnectingIsAwaitedUntilThereIsAServer()
    {
        Task<Connection> connecting = Connection.ConnectAsync("late", Within(Hang));
        Assert.False(connecting.IsCompleted);
        using EchoServer server = new("late");
        using Connection connection = await Soon(connecting);
        Assert.True(connection.IsOpen);
        Assert.Equal("hi", EchoServer.Call(connection, "hi"));
    }

    [Fact]
    public async Task AHundredWhoConnectHoldNoThreads()
    {
        const int Clients = 100;
        Task<Connection>[] early = Enumerable.Range(0, Clients / 2).Select(_ => Connection.ConnectAsync("busy", Within(Hang))).ToArray();
        using Listener listener = Listener.Open("busy");
        Task<Connection>[] late = Enumerable.Range(0, Clients / 2).Select(_ => Connection.ConnectAsync("busy", Within(Hang))).ToArray();
        Task<Connection>[] all = [.. early, .. late];
        Watchdog.Until(() => Regions.FilesOf("busy").Count == Clients + 1, "all requests");
        Assert.DoesNotContain(all, static connecting => connecting.IsCompleted);
        Assert.InRange(AsyncWaitThread.Count, 1, Os.Current.MaxSleepWords == 1 ? Clients : 10);
        for (int i = 0; i < Clients; i++)
        {
            Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
            Assert.Equal(ListenerEventKind.Connect, next.Kind);
            next.Connection.Accept();
        }

        foreach (Task<Connection> connecting in all)
            (await Soon(connecting)).Dispose();
    }

    [Fact]
    public async Task WhatEndsConnectingIsThrownByTheTask()
    {
        await Fails(IpcStatus.NotFound, Connection.ConnectAsync("nobody"));
        await Fails(IpcStatus.NotFound, Connection.ConnectAsync("nobody", Within(Deadline.FromMilliseconds(30))));
        await Fails(IpcStatus.InvalidName, Connection.ConnectAsync("no/body"));

        using Listener deaf = Listener.Open("deaf");
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(Connection.ConnectAsync("deaf", Within(Deadline.FromMilliseconds(50)))));
        Assert.Equal(["deaf"], Regions.FilesOf("deaf"));

        using CancellationTokenSource cancel = new();
        Task<Connection> asking = Connection.ConnectAsync("deaf", Within(Deadline.Never), cancel.Token);
        Task<Connection> looking = Connection.ConnectAsync("nobody", Within(Deadline.Never), cancel.Token);
        Watchdog.Until(() => Regions.FilesOf("deaf").Count == 2, "the request");
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(asking));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(looking));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(Connection.ConnectAsync("deaf", null, cancel.Token)));
        Assert.Equal(["deaf"], Regions.FilesOf("deaf"));
    }

    [Fact]
    public async Task ARefusalAndTheEndOfTheServerAreTold()
    {
        using (new EchoServer("picky") { Decide = static _ => "not you" })
            Assert.Equal("not you", (await Assert.ThrowsAsync<ConnectionRefusedException>(() => Soon(Connection.ConnectAsync("picky")))).Message);

        Listener leaving = Listener.Open("leaving");
        Task<Connection> asking = Connection.ConnectAsync("leaving", Within(Deadline.Never));
        Watchdog.Until(() => Regions.FilesOf("leaving").Count == 2, "the request");
        leaving.Dispose();
        await Fails(IpcStatus.PeerClosed, asking);
        Assert.Empty(Regions.FilesOf("leaving"));
    }

    /// <summary>Somebody has stopped with the lock of the listener's region: nobody waits for it with a thread.</summary>
    [Fact]
    public async Task ALockThatIsTakenIsAwaitedToo()
    {
        using EchoServer server = new("locked");
        ListenerEntrance entrance = ListenerEntrance.ForClient(Access.User);
        Region held = Region.Open("locked", entrance, OpenMode.OpenExisting, Deadline.Now, None);
        Assert.True(held.TryLock(Hang));
        Task<Connection> connecting = Connection.ConnectAsync("locked", Within(Hang));
        Task<Connection> brief = Connection.ConnectAsync("locked", Within(Deadline.FromMilliseconds(30)));
        Task<Connection> atOnce = Connection.ConnectAsync("locked", Within(Deadline.Now)); // for a server that is there; a lock is never held for long
        Assert.False(connecting.IsCompleted);
        held.Unlock();
        using Connection connection = await Soon(connecting);
        (await Soon(atOnce)).Dispose();
        try
        {
            (await Soon(brief)).Dispose();
        }
        catch (TimeoutException)
        {
            // It was locked for as long as that one could wait.
        }

        held.Leave();
        held.View.Dispose();
    }

    /// <summary>Each of the clients makes its calls in a row; the server awaits, and has no thread meanwhile.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task AServerAwaitsWhatItsClientsSend(int clients)
    {
        Listener listener = Own(Listener.Open("echo"));
        Task serving = Serve(listener);
        Task[] calling = Enumerable.Range(0, clients).Select(client => Task.Run(async () =>
        {
            using Connection connection = await Soon(Connection.ConnectAsync("echo", Within(Hang)));
            for (int i = 0; i < 1000; i++)
                Assert.Equal($"{client} {i}", EchoServer.Call(connection, $"{client} {i}"));
        })).ToArray();
        await Task.WhenAll(calling).WaitAsync(Watchdog.Patience);
        Watchdog.Until(() => listener.Count == 0, "the ends of all connections");
        listener.Stop();
        Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => serving.WaitAsync(Watchdog.Patience))).Status);
    }

    /// <summary>What is lent is not watched, and not armed: when it comes back, it is.</summary>
    [Fact]
    public async Task WhatComesBackWhileItIsAwaitedIsLookedAt()
    {
        Listener listener = Own(Listener.Open("back"));
        Task<Connection> connecting = Connection.ConnectAsync("back", Within(Hang));
        Connection lent = (await Soon(listener.NextAsync())).Connection;
        lent.Accept();
        using Connection client = await Soon(connecting);
        for (int round = 0; round < 300; round++)
        {
            ValueTask<ListenerEvent> next = listener.NextAsync();
            Assert.False(next.IsCompleted);
            if (round % 2 == 0)
                Assert.True(client.Writer.TryWrite([1]));
            listener.Return(lent);
            if (round % 2 != 0)
                Assert.True(client.Writer.TryWrite([1]));
            ListenerEvent found = await Soon(next);
            Assert.Equal(ListenerEventKind.Readable, found.Kind);
            Assert.True(lent.Reader.TryRead(out _));
            lent.Reader.Release();
        }
    }

    [Fact]
    public async Task WhatEndsTheWaitOfAListener()
    {
        Listener listener = Own(Listener.Open("ends"));
        using CancellationTokenSource cancel = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = listener.NextAsync(TimeSpan.FromSeconds(-1)); });
        await Assert.ThrowsAsync<TimeoutException>(() => Soon(listener.NextAsync(TimeSpan.FromMilliseconds(20))));
        ValueTask<ListenerEvent> pending = listener.NextAsync(cancel.Token);
        Assert.Throws<InvalidOperationException>(() => { _ = listener.NextAsync(); });
        Assert.Throws<InvalidOperationException>(() => { _ = listener.Next(out _, Deadline.Now); });
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(pending));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(listener.NextAsync(cancel.Token)));
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.Now));

        pending = listener.NextAsync();
        listener.Stop();
        Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => Soon(pending))).Status);
        listener.Resume();
        pending = listener.NextAsync();
        listener.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(pending));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Soon(listener.NextAsync()));
        Assert.Equal(IpcStatus.Closed, listener.Next(out _, Deadline.Now));
    }

    /// <summary>The thread that waits for everybody runs no code of the user's.</summary>
    [Fact]
    public async Task TheEndOfAConnectionIsToldOnThePool()
    {
        Listener listener = Own(Listener.Open("told"));
        Task<Connection> connecting = Connection.ConnectAsync("told", Within(Hang));
        Connection connection = (await Soon(listener.NextAsync())).Connection;
        TaskCompletionSource<(bool, string?)> told = new(TaskCreationOptions.RunContinuationsAsynchronously);
        connection.Closed += (_, _) => told.SetResult((Thread.CurrentThread.IsThreadPoolThread, Thread.CurrentThread.Name));
        connection.Accept();
        listener.Return(connection);
        Connection client = await Soon(connecting);
        ValueTask<ListenerEvent> next = listener.NextAsync();
        Assert.False(next.IsCompleted);
        client.Dispose();
        Assert.Equal(ListenerEventKind.Closed, (await Soon(next)).Kind);
        (bool isPool, string? thread) = await told.Task.WaitAsync(Watchdog.Patience);
        Assert.True(isPool, "on " + thread);
        connection.Dispose();
    }

    /// <summary>A client whose file takes its time to be opened holds up nobody but those that ask the same listener.</summary>
    [Fact]
    public async Task ARequestIsOpenedOnThePoolAndNotByTheThreadThatWaitsForAll()
    {
        Listener listener = Own(Listener.Open("slow"));
        using ManualResetEventSlim go = new();
        TaskCompletionSource<string?> opening = new(TaskCreationOptions.RunContinuationsAsynchronously);
        listener.Opening = () =>
        {
            opening.TrySetResult(Thread.CurrentThread.Name);
            go.Wait(None);
        };
        using SharedQueue queue = SharedQueue.Open("others");
        ValueTask<ListenerEvent> next = listener.NextAsync();
        Assert.False(next.IsCompleted);
        Task<Connection> first = Connection.ConnectAsync("slow", Within(Hang));
        Assert.NotEqual("ipc-async", await opening.Task.WaitAsync(Watchdog.Patience));
        Task<Connection> second = Connection.ConnectAsync("slow", Within(Hang));
        for (byte i = 0; i < 3; i++)
        {
            ValueTask<QueueMessage> other = queue.ReceiveAsync();
            Assert.False(other.IsCompleted);
            queue.Send([i]);
            using QueueMessage message = await other.AsTask().WaitAsync(Watchdog.Patience);
            Assert.Equal(i, message.Payload[0]);
        }

        Assert.False(next.IsCompleted);
        go.Set();
        for (int i = 0; i < 2; i++)
        {
            ListenerEvent found = await Soon(next);
            Assert.Equal(ListenerEventKind.Connect, found.Kind);
            found.Connection.Accept();
            next = listener.NextAsync();
        }

        listener.Stop();
        Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => Soon(next))).Status);
        (await Soon(first)).Dispose();
        (await Soon(second)).Dispose();
    }

    /// <summary>Whoever asks while a request of the same slot is being opened is found when that is over, by whichever call leads then.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ARequestThatIsBeingOpenedIsLeftToWhoOpensIt(bool isAwaited)
    {
        Listener listener = Own(Listener.Open("left"));
        using ManualResetEventSlim go = new();
        TaskCompletionSource opening = new(TaskCreationOptions.RunContinuationsAsynchronously);
        listener.Opening = () =>
        {
            opening.TrySetResult();
            go.Wait(None);
        };
        using CancellationTokenSource cancel = new();
        ValueTask<ListenerEvent> pending = listener.NextAsync(cancel.Token);
        Task<Connection> connecting = Connection.ConnectAsync("left", Within(Hang));
        await opening.Task.WaitAsync(Watchdog.Patience);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(pending));
        listener.Opening = null;
        using (LiveRegion region = Look("left"))
            region.Or((long)region.U64(region.Body + Wire.Listener.ReadyOffset), ulong.MaxValue); // it rings once more
        Task<ListenerEvent> next = isAwaited
            ? Soon(listener.NextAsync())
            : Task.Run(() => listener.Next(out ListenerEvent found, Hang) == IpcStatus.Ok ? found : throw new InvalidOperationException(), None);
        go.Set();
        ListenerEvent asked = await next.WaitAsync(Watchdog.Patience);
        Assert.Equal(ListenerEventKind.Connect, asked.Kind);
        asked.Connection.Accept();
        (await Soon(connecting)).Dispose();
    }

    /// <summary>It is closed while a request is being opened, or lies opened where nobody takes it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhoHasNotBeenTakenIsTurnedAwayWhenTheListenerIsDisposed(bool isOpened)
    {
        Listener listener = Listener.Open("over");
        using ManualResetEventSlim go = new(false);
        TaskCompletionSource opening = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenSource cancel = new();
        listener.Opening = () =>
        {
            cancel.Cancel(); // nobody waits any more when it has been opened
            opening.TrySetResult();
            go.Wait(None);
        };
        ValueTask<ListenerEvent> pending = listener.NextAsync(cancel.Token);
        Task<Connection> connecting = Connection.ConnectAsync("over", Within(Hang));
        await opening.Task.WaitAsync(Watchdog.Patience);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Soon(pending));
        if (isOpened)
        {
            go.Set();
            Watchdog.Until(() => listener.Count == 1, "it has been opened");
        }

        Task disposing = Task.Run(listener.Dispose, None);
        if (!isOpened)
            Watchdog.Until(() => listener.Next(out _, Deadline.Now) == IpcStatus.Closed, "the listener is being disposed");
        go.Set();
        await disposing.WaitAsync(Watchdog.Patience);
        await Fails(IpcStatus.PeerClosed, connecting);
        Assert.Empty(Regions.FilesOf("over"));
    }

    private static async Task<ListenerEvent> Soon(ValueTask<ListenerEvent> pending) => await pending.AsTask().WaitAsync(Watchdog.Patience);

    private static async Task Serve(Listener listener)
    {
        while (true)
        {
            ListenerEvent next = await listener.NextAsync().ConfigureAwait(false);
            if (next.Kind == ListenerEventKind.Closed)
            {
                next.Connection.Dispose();
                continue;
            }

            if (next.Kind == ListenerEventKind.Connect)
                next.Connection.Accept();
            else
                Echo(next.Connection);
            listener.Return(next.Connection);
        }
    }

    private static void Echo(Connection connection)
    {
        while (connection.Reader.TryRead(out RingRecord record))
        {
            Assert.True(connection.Writer.TryWrite(record.Payload, record.Type));
            connection.Reader.Release();
        }
    }

    private static async Task Fails(IpcStatus status, Task<Connection> connecting)
        => Assert.Equal(status, (await Assert.ThrowsAnyAsync<IpcException>(() => Soon(connecting))).Status);
}
