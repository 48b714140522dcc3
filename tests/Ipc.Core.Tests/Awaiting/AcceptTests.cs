using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A server that gives each connection a task of its own.</summary>
public sealed class AcceptTests : RegionTest
{
    private static async Task EchoAsync(Listener listener, List<Task> served, CancellationToken stop)
    {
        try
        {
            for (; ; )
            {
                Connection connection = await listener.AcceptAsync(stop);
                lock (served)
                    served.Add(ServeAsync(connection));
            }
        }
        catch (OperationCanceledException)
        {
        }
    }

    private static async Task ServeAsync(Connection connection)
    {
        using (connection)
        {
            await foreach (RingItem item in connection.Reader.ReadAllAsync())
                await connection.Writer.WriteAsync(item.Payload, item.Type);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public async Task EachConnectionIsServedByATaskOfItsOwn(int clients)
    {
        using Listener listener = Listener.Open("server");
        using CancellationTokenSource stop = new();
        List<Task> served = [];
        Task accepting = EchoAsync(listener, served, stop.Token);
        Background[] calling = Enumerable.Range(0, clients).Select(client => Run(() =>
        {
            using Connection connection = Connection.Connect("server", new ConnectOptions { Deadline = Hang });
            for (int i = 0; i < 200; i++)
                Assert.Equal($"{client}:{i}", EchoServer.Call(connection, $"{client}:{i}"));
        })).ToArray();
        foreach (Background one in calling)
            one.Join();
        stop.Cancel();
        await accepting.WaitAsync(Watchdog.Patience);
        await Task.WhenAll(served).WaitAsync(Watchdog.Patience); // a client that has gone ends its task
        Assert.Equal(clients, served.Count);
        Assert.Equal(0, listener.Count);
    }

    /// <summary>It looked once a millisecond, for each connection: now a client that sends rings for it.</summary>
    [Fact]
    public async Task WhoAwaitsAClientsNextMessageSleepsAtTheDoorbell()
    {
        using Listener listener = Listener.Open("server");
        Task<Connection> connecting = Connection.ConnectAsync("server", new ConnectOptions { Deadline = Hang });
        using Connection here = await listener.AcceptAsync(TimeSpan.FromMinutes(1));
        using Connection there = await connecting.WaitAsync(Watchdog.Patience);
        using LiveRegion bytes = Look("server");
        long doorbell = bytes.Body + (long)Marshal.OffsetOf<ListenerHeader>(nameof(ListenerHeader.Doorbell));
        for (int i = 0; i < 100; i++)
        {
            Task<bool> pending = here.Reader.WaitToReadAsync().AsTask();
            Watchdog.Until(() => (bytes[doorbell] & WaiterWords.SleeperBit) != 0, "it sleeps there");
            Assert.False(pending.IsCompleted);
            Assert.True(there.Writer.TryWrite("x"u8));
            Assert.True(await pending.WaitAsync(Watchdog.Patience));
            Assert.True(here.Reader.TryRead(out RingRecord record));
            Assert.Equal("x", Encoding.UTF8.GetString(record.Payload));
            here.Reader.Release();
        }
    }

    [Fact]
    public async Task WhatEndsAConnectionEndsTheWaitForItsNextMessage()
    {
        using Listener listener = Listener.Open("server");
        foreach (string end in new[] { "client", "server", "stop", "cancel", "listener" })
        {
            Task<Connection> connecting = Connection.ConnectAsync("server", new ConnectOptions { Deadline = Hang });
            Assert.Equal(IpcStatus.Ok, listener.Accept(out Connection? here, Hang));
            Connection there = await connecting.WaitAsync(Watchdog.Patience);
            using CancellationTokenSource cancel = new();
            Task<bool> pending = here!.Reader.WaitToReadAsync(cancel.Token).AsTask();
            Assert.False(pending.IsCompleted);
            switch (end)
            {
                case "client":
                    there.Dispose();
                    break;
                case "server":
                    here.Dispose();
                    break;
                case "stop":
                    here.Reader.Stop();
                    break;
                case "cancel":
                    cancel.Cancel();
                    break;
                default:
                    listener.Dispose();
                    break;
            }

            if (end == "cancel")
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending.WaitAsync(Watchdog.Patience));
            else
                Assert.False(await pending.WaitAsync(Watchdog.Patience), end);
            here.Dispose();
            there.Dispose();
        }
    }

    [Fact]
    public async Task AcceptingEndsAsOtherWaitsDo()
    {
        Listener listener = Listener.Open("server");
        await Assert.ThrowsAsync<TimeoutException>(() => listener.AcceptAsync(TimeSpan.FromMilliseconds(20)).AsTask());
        Assert.Equal(IpcStatus.Timeout, listener.Accept(out Connection? nobody, Deadline.Now));
        Assert.Null(nobody);
        using CancellationTokenSource cancel = new();
        Task<Connection> accepting = listener.AcceptAsync(cancel.Token).AsTask();
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => accepting.WaitAsync(Watchdog.Patience));
        accepting = listener.AcceptAsync(None).AsTask();
        listener.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => accepting.WaitAsync(Watchdog.Patience));
        Assert.Equal(IpcStatus.Closed, listener.Accept(out _, Hang));
    }

    /// <summary>However often it is called, and whoever was told of it first.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhoIsFollowedAcceptsNobodyAnyMore(bool takesEvent)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "nobody takes over a live name there");
        var options = new ListenerOptions { TakeOver = true };
        using Listener listener = Listener.Open("server", options);
        Task<Connection>? waiting = takesEvent ? null : listener.AcceptAsync(None).AsTask();
        using Listener next = Listener.Open("server", options);
        if (waiting is not null)
        {
            Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => waiting.WaitAsync(Watchdog.Patience))).Status);
        }
        else
        {
            Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent followed, Hang));
            Assert.Equal(ListenerEventKind.Followed, followed.Kind);
        }

        Assert.True(listener.IsFollowed);
        Assert.Equal(IpcStatus.Stopped, (await Assert.ThrowsAsync<IpcException>(() => listener.AcceptAsync(None).AsTask().WaitAsync(Watchdog.Patience))).Status);
        Assert.Equal(IpcStatus.Stopped, listener.Accept(out _, Hang));
    }

    [Fact]
    public async Task AConnectionThatWasReturnedIsForWhoTakesEvents()
    {
        using Listener listener = Listener.Open("server");
        Task<Connection> connecting = Connection.ConnectAsync("server", new ConnectOptions { Deadline = Hang });
        Connection here = await listener.AcceptAsync(None);
        listener.Return(here);
        using Connection there = await connecting.WaitAsync(Watchdog.Patience);
        Assert.True(there.Writer.TryWrite("x"u8));
        await Assert.ThrowsAsync<InvalidOperationException>(() => listener.AcceptAsync(None).AsTask().WaitAsync(Watchdog.Patience));
        here.Dispose();
    }
}
