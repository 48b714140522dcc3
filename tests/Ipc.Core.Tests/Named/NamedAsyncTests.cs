using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Named connections that are awaited: what the calls that block do, without a thread.</summary>
public sealed class NamedAsyncTests : RegionTest
{
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(30);

    public NamedAsyncTests() => LeavesFiles = true; // a conversation stays

    private static NamedConnectionOptions Little => new() { ToServerCapacity = 4096, ToClientCapacity = 4096, LoanBudget = 0 };

    [Fact]
    public async Task BothSidesMayAwaitEverything()
    {
        const int count = 2000;
        using NamedListener listener = NamedListener.Open("exchange");
        Task serving = ServeAsync(listener, count);
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        await client.ConnectAsync(Watchdog.Patience);
        Task sending = Task.Run(async () =>
        {
            for (int i = 1; i <= count; i++)
                Assert.Equal(i, await client.SendAsync(NamedServer.Bytes(i, i % 300), (ushort)i));
        });
        for (int i = 1; i <= count;)
        {
            Assert.True(await client.WaitToReceiveAsync(Watchdog.Patience));
            for (; TryReceive(client, out long number); i++)
                Assert.Equal(i, number);
            client.Acknowledge();
        }

        await sending;
        await serving;
        Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
    }

    [Fact]
    public async Task AServerThatComesLaterIsFound()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        await Assert.ThrowsAsync<TimeoutException>(() => client.ConnectAsync(s_moment));
        Assert.Equal(1, await client.SendAsync(NamedServer.Bytes(1))); // it waits for the server
        Task connecting = client.ConnectAsync(Watchdog.Patience);
        Task<bool> waiting = client.WaitToReceiveAsync(Watchdog.Patience).AsTask();
        await Task.Delay(s_moment);
        Assert.False(connecting.IsCompleted || waiting.IsCompleted);
        using NamedServer server = new("exchange");
        await connecting;
        Assert.True(await waiting);
        Assert.True(TryReceive(client, out long number));
        Assert.Equal(1, number);
    }

    [Fact]
    public async Task AWaitGoesOnWhenTheServerIsAnotherProcessOfItsName()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        for (int i = 1; i <= 5; i++)
        {
            using NamedServer server = new("exchange");
            ValueTask<bool> waiting = client.WaitToReceiveAsync(Watchdog.Patience);
            Assert.Equal(i, await client.SendAsync(NamedServer.Bytes(i)));
            Assert.True(await waiting);
            Assert.True(TryReceive(client, out long number));
            Assert.Equal(i, number);
            client.Acknowledge();
        }
    }

    [Fact]
    public async Task AWaitEndsAsItIsTold()
    {
        using NamedServer server = new("exchange");
        NamedConnection client = NamedConnection.Open("exchange", "trader");
        await client.ConnectAsync(Watchdog.Patience);
        await Assert.ThrowsAsync<TimeoutException>(() => client.WaitToReceiveAsync(s_moment).AsTask());
        using (CancellationTokenSource cancel = new())
        {
            Task<bool> waiting = client.WaitToReceiveAsync(cancel.Token).AsTask();
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => client.SendAsync(new byte[8], 0, cancel.Token).AsTask());
            Assert.Equal(0, client.LastSent);
        }

        Task<bool> stopped = client.WaitToReceiveAsync().AsTask();
        client.Stop();
        Assert.False(await stopped);
        Assert.False(await client.WaitToReceiveAsync());
        client.Resume();
        Task<bool> closed = client.WaitToReceiveAsync().AsTask();
        client.Dispose();
        Assert.False(await closed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.SendAsync(new byte[8]).AsTask());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.ConnectAsync());
    }

    /// <summary>Nobody is there to be asked: the pause between two attempts is what ends.</summary>
    [Fact]
    public async Task AWaitWithoutAServerEndsAsItIsTold()
    {
        NamedConnection client = NamedConnection.Open("exchange", "trader");
        await Assert.ThrowsAsync<TimeoutException>(() => client.WaitToReceiveAsync(TimeSpan.FromMilliseconds(400)).AsTask()); // long pauses from here on
        using (CancellationTokenSource cancel = new())
        {
            Task connecting = client.ConnectAsync(Timeout.InfiniteTimeSpan, cancel.Token);
            cancel.CancelAfter(s_moment);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting);
        }

        Task<bool> stopped = client.WaitToReceiveAsync().AsTask();
        client.Stop();
        Assert.False(await stopped);
        client.Resume();
        Task<bool> closed = client.WaitToReceiveAsync().AsTask();
        Task asking = client.ConnectAsync(Timeout.InfiniteTimeSpan);
        client.Dispose();
        Assert.False(await closed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => asking);
    }

    [Fact]
    public async Task ASenderWaitsForRoom()
    {
        using NamedServer server = new("exchange") { Answers = false, Acknowledges = false };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        await client.ConnectAsync(Watchdog.Patience);
        int sent = 0;
        while (client.TrySend(NamedServer.Bytes(sent + 1, 500)))
            sent++;
        await Assert.ThrowsAsync<TimeoutException>(() => client.SendAsync(NamedServer.Bytes(1, 500), 0, s_moment).AsTask());
        Task<long> sending = client.SendAsync(NamedServer.Bytes(sent + 1, 500)).AsTask();
        await Task.Delay(s_moment);
        Assert.False(sending.IsCompleted);
        Assert.Equal(sent, client.LastSent);
        server.Dispose(); // the next one gets all of it, and acknowledges it
        using NamedListener next = NamedListener.Open("exchange");
        while (!sending.IsCompleted || client.Unacknowledged > 0)
        {
            if (next.Next(out NamedEvent e, Deadline.After(s_moment)) != IpcStatus.Ok)
                continue;
            if (e.Kind == NamedEventKind.Login)
                e.Connection.Accept();
            if (e.Kind != NamedEventKind.Readable)
                continue;
            while (e.Connection.TryReceive(out _))
                e.Connection.Acknowledge();
            next.Return(e.Connection);
        }

        Assert.Equal(sent + 1, await sending.WaitAsync(Watchdog.Patience));
        await Assert.ThrowsAsync<IpcException>(() => client.SendAsync(new byte[5000]).AsTask());
    }

    [Fact]
    public async Task ARefusalComesOutOfEveryWait()
    {
        using NamedServer server = new("exchange") { Decide = static _ => "not today" };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        ConnectionRefusedException error = await Assert.ThrowsAsync<ConnectionRefusedException>(() => client.ConnectAsync());
        Assert.Equal("not today", error.Message);
        await Assert.ThrowsAsync<ConnectionRefusedException>(() => client.WaitToReceiveAsync(Watchdog.Patience).AsTask());
        int sent = 0;
        while (client.TrySend(NamedServer.Bytes(sent + 1, 500)))
            sent++;
        await Assert.ThrowsAsync<ConnectionRefusedException>(() => client.SendAsync(NamedServer.Bytes(1, 500), 0, Watchdog.Patience).AsTask());
    }

    [Fact]
    public async Task WithoutReconnectTheServersEndIsAnEnd()
    {
        NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Reconnect = false });
        await client.ConnectAsync(Watchdog.Patience);
        client.Send(NamedServer.Bytes(1));
        Assert.True(await client.WaitToReceiveAsync(Watchdog.Patience));
        Assert.True(TryReceive(client, out _));
        Task<bool> waiting = client.WaitToReceiveAsync(Watchdog.Patience).AsTask();
        server.Dispose();
        Assert.False(await waiting);
    }

    /// <summary>The next server is there, and lets nobody in: who has messages does not ask it.</summary>
    [Fact]
    public async Task WhatIsThereNeedsNoSession()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        using (NamedServer server = new("exchange"))
        {
            client.Connect(Watchdog.Patience);
            client.Send(NamedServer.Bytes(1));
            Assert.True(await client.WaitToReceiveAsync(Watchdog.Patience));
        }

        using NamedListener silent = NamedListener.Open("exchange");
        Watchdog.Until(() => !client.IsConnected, "the end of the session");
        ValueTask<bool> waiting = client.WaitToReceiveAsync();
        Assert.True(waiting.IsCompleted && await waiting);
        Assert.True(TryReceive(client, out _));
    }

    [Fact]
    public async Task WhoDoesNotWaitDoesNotAskAServer()
    {
        using NamedServer server = new("exchange") { Decide = static _ => "you have asked" };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        await Assert.ThrowsAsync<TimeoutException>(() => client.WaitToReceiveAsync(TimeSpan.Zero).AsTask());
        while (client.TrySend(new byte[500]))
        {
        }

        await Assert.ThrowsAsync<TimeoutException>(() => client.SendAsync(new byte[500], 0, TimeSpan.Zero).AsTask());
    }

    /// <summary>Who waited may be stopped before it comes for it.</summary>
    [Fact]
    public async Task TheRoomThatWasFoundForASenderIsNotLeftClaimed()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        Assert.Equal(IpcStatus.Ok, await client.EndsNow.Writer.WaitForRoomAsync(500, Deadline.Now, CancellationToken.None));
        Assert.Equal(RingWriter.NoClaim, Claimed(client.EndsNow.Writer));
    }

    [Fact]
    public async Task AServersMessagesAreToldByItsListenerOnly()
    {
        using NamedListener listener = NamedListener.Open("exchange");
        await Assert.ThrowsAsync<TimeoutException>(() => listener.NextAsync(s_moment).AsTask());
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        Task connecting = client.ConnectAsync(Watchdog.Patience);
        NamedEvent login = await listener.NextAsync(Watchdog.Patience);
        Assert.Equal(NamedEventKind.Login, login.Kind);
        Assert.Throws<InvalidOperationException>(() => listener.Return(login.Connection)); // its client would wait on
        login.Connection.Accept();
        await connecting;
        listener.Return(login.Connection);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await login.Connection.WaitToReceiveAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(() => login.Connection.ConnectAsync());
        Task<NamedEvent> next = listener.NextAsync().AsTask();
        Assert.Throws<InvalidOperationException>(() => listener.Next(out _, Deadline.Never));
        await Assert.ThrowsAsync<InvalidOperationException>(() => listener.NextAsync().AsTask());
        listener.Stop();
        Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => next)).Status);
        listener.Resume();
        next = listener.NextAsync().AsTask();
        listener.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => next);
    }

    /// <summary>One thread, which waits for handles: a server, and its client.</summary>
    [Fact]
    public void BothSidesMayBeDrivenByALoop()
    {
        const int count = 100;
        using NamedListener listener = NamedListener.Open("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        using ReadyHandle serverReady = listener.GetReadyHandle();
        using ReadyHandle clientReady = client.GetReadyHandle(); // which logs in
        WaitHandle[] all = [serverReady, clientReady];
        int received = 0;
        Assert.True(client.TrySend(NamedServer.Bytes(1)));
        while (received < count)
        {
            int ready = WaitHandle.WaitAny(all, Watchdog.Patience);
            Assert.NotEqual(WaitHandle.WaitTimeout, ready);
            if (ready == 0)
            {
                while (listener.TryNext(out NamedEvent next))
                    Serve(listener, next);
                serverReady.Arm();
                continue;
            }

            for (; TryReceive(client, out long number); client.Acknowledge())
            {
                Assert.Equal(++received, number);
                Assert.True(client.TrySend(NamedServer.Bytes(received + 1)));
            }

            clientReady.Arm();
        }
    }

    private static void Serve(NamedListener listener, in NamedEvent next)
    {
        if (next.Kind == NamedEventKind.Login)
            next.Connection.Accept();
        if (next.Kind != NamedEventKind.Readable)
            return;
        while (next.Connection.TryReceive(out NamedMessage message))
            Assert.True(next.Connection.TrySend(message.Payload));
        next.Connection.Acknowledge();
        listener.Return(next.Connection);
    }

    /// <summary>A server that has no room for its answer, and whose client goes and comes.</summary>
    [Fact]
    public async Task AServersSenderWaitsForAClientThatIsAway()
    {
        using NamedListener listener = NamedListener.Open("exchange");
        Task<long> sending;
        int sent = 0;
        using (NamedConnection client = NamedConnection.Open("exchange", "trader", Little))
        {
            Task connecting = client.ConnectAsync(Watchdog.Patience);
            NamedConnection server = (await listener.NextAsync(Watchdog.Patience)).Connection;
            server.Accept();
            await connecting;
            while (server.TrySend(NamedServer.Bytes(sent + 1, 500)))
                sent++;
            sending = server.SendAsync(NamedServer.Bytes(sent + 1, 500)).AsTask();
        }

        await Task.Delay(s_moment);
        Assert.False(sending.IsCompleted);
        using NamedConnection again = NamedConnection.Open("exchange", "trader", Little);
        Task back = again.ConnectAsync(Watchdog.Patience);
        for (NamedEvent next; (next = await listener.NextAsync(Watchdog.Patience)).Kind != NamedEventKind.Login;)
            Assert.Equal(NamedEventKind.Logout, next.Kind);
        Assert.False(back.IsCompleted);
        Assert.True(listener.TryOpen("trader", out NamedConnection? there));
        there!.Accept();
        await back;
        for (int i = 1; i <= sent + 1; i++)
        {
            Assert.True(await again.WaitToReceiveAsync(Watchdog.Patience));
            Assert.True(TryReceive(again, out long number));
            Assert.Equal(i, number);
            again.Acknowledge();
        }

        Assert.Equal(sent + 1, await sending.WaitAsync(Watchdog.Patience));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_claimed")]
    private static extern ref int Claimed(RingWriter writer);

    private static async Task ServeAsync(NamedListener listener, int count)
    {
        for (int left = count; left > 0;)
        {
            NamedEvent next = await listener.NextAsync(Watchdog.Patience);
            if (next.Kind == NamedEventKind.Login)
                next.Connection.Accept();
            if (next.Kind != NamedEventKind.Readable)
                continue;
            while (Copy(next.Connection) is { } message)
            {
                await next.Connection.SendAsync(message);
                next.Connection.Acknowledge();
                left--;
            }

            listener.Return(next.Connection);
        }
    }

    private static byte[]? Copy(NamedConnection connection) => connection.TryReceive(out NamedMessage message) ? message.Payload.ToArray() : null;

    private static bool TryReceive(NamedConnection client, out long number)
    {
        bool received = client.TryReceive(out NamedMessage message);
        number = received ? message.Sequence : 0;
        return received;
    }
}
