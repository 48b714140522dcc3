using System;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>Named connections of the C library, called from C#: a server and its clients in one process.</summary>
public sealed class NamedTests : IDisposable
{
    private const string Client = "trader-7";
    private readonly string _server = "native." + Environment.ProcessId + "." + Guid.NewGuid().ToString("N");

    private static NativeDeadline Soon => NativeDeadline.After(TimeSpan.FromSeconds(30));

    private static CancellationToken Stopping => TestContext.Current.CancellationToken;

    public void Dispose() => NativeNamedConnection.Remove(_server, Client);

    [Fact]
    public async Task MessagesGoBothWaysAndAreAcknowledged()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        using var client = NativeNamedConnection.Open(_server, Client, new NativeNamedOptions { Login = "who I am"u8.ToArray() });
        Assert.Equal((_server, Client, "", 0), (client.ServerName, client.ClientName, client.Identity, client.PeerPid));
        Assert.False(client.IsConnected);
        Assert.Equal(NativeStatus.Ok, client.TrySend("before the login"u8, 1, out ulong first));

        NativeNamedConnection server = await LogIn(listener, client, "welcome");
        Assert.Equal("who I am", Encoding.UTF8.GetString(server.Login()));
        Assert.Equal("welcome", Encoding.UTF8.GetString(client.Reply()));
        Assert.True(client.IsConnected && server.IsConnected);
        Assert.Equal((_server, Environment.ProcessId), (client.Identity, client.PeerPid));
        Assert.Equal(NativeStatus.Ok, client.Send("after it"u8, 2, out ulong second, Soon, Stopping));
        Assert.Equal((1ul, 2ul, 2ul, 2ul), (first, second, client.Sent, client.Unacknowledged));

        Assert.Same(server, Next(listener, NativeNamedEventKind.Readable).Connection);
        Take(server, "before the login", 1, 1);
        Take(server, "after it", 2, 2);
        Assert.Equal(NativeStatus.Empty, server.TryReceive(out _));
        server.Acknowledge(1);
        Assert.Equal((2ul, 1ul, 1ul), (server.Received, server.Acknowledged, client.Unacknowledged));
        server.Acknowledge();
        Assert.Equal((2ul, 0ul), (server.Acknowledged, client.Unacknowledged));
        listener.Return(server);

        Assert.True(server.MaxPayload > 100_000);
        Assert.Equal(NativeStatus.Ok, server.Claim(64, out Span<byte> payload, Soon, Stopping));
        "in place"u8.CopyTo(payload);
        Assert.Equal(NativeStatus.Ok, server.CommitBatched(8, 3, out _));
        Assert.Equal(NativeStatus.Ok, server.TryClaim(64, out payload));
        server.Abandon();
        Assert.Equal(NativeStatus.InvalidState, Assert.Throws<NativeException>(() => server.Commit(1, 0, out _)).Status);
        Assert.Equal(NativeStatus.Empty, client.TryReceive(out _)); // it is not published
        server.Flush();
        Assert.Equal(NativeStatus.Ok, client.Receive(out NativeNamedMessage message, Soon, Stopping));
        Assert.Equal("in place", Encoding.UTF8.GetString(message.Payload));
        Assert.Equal((3, 1ul, false), (message.Type, message.Sequence, message.Redelivered));
        client.Acknowledge(message.Sequence);
        Assert.Equal(0ul, server.Unacknowledged);
    }

    /// <summary>Who comes after it, under its name, gets what it had received and not acknowledged, and goes on counting.</summary>
    [Fact]
    public async Task WhatIsNotAcknowledgedComesAgainToTheNextServer()
    {
        using var client = NativeNamedConnection.Open(_server, Client);
        using (NativeNamedListener former = NativeNamedListener.Open(_server))
        {
            NativeNamedConnection server = await LogIn(former, client);
            Assert.Equal(NativeStatus.Ok, client.TrySend("done"u8, 0, out _));
            Assert.Equal(NativeStatus.Ok, client.TrySend("not done"u8, 0, out _));
            Next(former, NativeNamedEventKind.Readable);
            Take(server, "done", 1, 0);
            Take(server, "not done", 2, 0);
            server.Acknowledge(1);
            former.Close(9, "back soon");
            Assert.Throws<ObjectDisposedException>(() => server.Sent);
            Assert.Throws<ObjectDisposedException>(() => former.Return(server));
        }

        Assert.Equal(1ul, client.Unacknowledged);
        using NativeNamedListener next = NativeNamedListener.Open(_server);
        NativeNamedConnection again = await LogIn(next, client);
        Assert.Equal((9L, false, "back soon"), Of(client.LastEnd));
        Assert.Null(client.LastReset);
        Next(next, NativeNamedEventKind.Readable);
        Assert.Equal(NativeStatus.Ok, again.TryReceive(out NativeNamedMessage message));
        Assert.Equal("not done", Encoding.UTF8.GetString(message.Payload));
        Assert.Equal((2ul, true), (message.Sequence, message.Redelivered));
    }

    [Fact]
    public async Task AnotherIdentityBeginsAnewAndSaysWhatWasGivenUp()
    {
        using var client = NativeNamedConnection.Open(_server, Client);
        using (NativeNamedListener monday = NativeNamedListener.Open(_server, new NativeNamedListenerOptions { Identity = "monday" }))
        {
            NativeNamedConnection server = await LogIn(monday, client);
            Assert.Equal("monday", client.Identity);
            Assert.Equal(NativeStatus.Ok, server.TrySend("for you"u8, 0, out _));
            Assert.Equal(NativeStatus.Ok, client.TrySend("one"u8, 0, out _));
            Assert.Equal(NativeStatus.Ok, client.TrySend("two"u8, 0, out _));
        }

        using NativeNamedListener tuesday = NativeNamedListener.Open(_server, new NativeNamedListenerOptions { Identity = "tuesday" });
        await LogIn(tuesday, client);
        NativeNamedReset reset = Assert.IsType<NativeNamedReset>(client.LastReset);
        Assert.Equal((1L, "monday", "tuesday"), (reset.Count, reset.OldIdentity, reset.NewIdentity));
        Assert.Equal((2L, 1L), (reset.UnacknowledgedSent, reset.UnacknowledgedReceived));
        Assert.Equal(NativeStatus.Ok, client.TrySend("first of tuesday"u8, 0, out ulong sequence));
        Assert.Equal(1ul, sequence);
    }

    [Fact]
    public async Task TheCodesOfBothSidesArrive()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        NativeNamedConnection server;
        using (var client = NativeNamedConnection.Open(_server, Client))
        {
            server = await LogIn(listener, client);
            Assert.Null(client.LastEnd);
            client.Close(77);
            client.Close(78); // only the first counts
        }

        NativeNamedEvent gone = Next(listener, NativeNamedEventKind.Logout);
        Assert.Same(server, gone.Connection);
        Assert.Equal(77, gone.Code);
        Assert.Contains(Client, gone.Text, StringComparison.Ordinal);
        Assert.Equal(77, server.LastEnd?.Code);

        using var second = NativeNamedConnection.Open(_server, Client, new NativeNamedOptions { NoReconnect = true });
        Assert.Same(server, await LogIn(listener, second)); // the one that it had
        server.Close(88, "not today");
        Assert.Equal(NativeStatus.PeerClosed, second.Receive(out _, Soon, Stopping));
        Assert.Equal((88L, false, "not today"), Of(second.LastEnd));
    }

    [Fact]
    public async Task ARefusedLoginSaysWhyAndIsAnsweredOnce()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        using var client = NativeNamedConnection.Open(_server, Client);
        Task<NativeStatus> connecting = Connecting(client);
        NativeNamedConnection asks = Next(listener, NativeNamedEventKind.Login).Connection;
        Assert.Equal(NativeStatus.InvalidArgument, Assert.Throws<NativeException>(() => asks.Accept(new byte[1025])).Status);
        asks.Refuse("who are you");
        Assert.Throws<ObjectDisposedException>(() => asks.Accept());
        NativeException refused = await Assert.ThrowsAsync<NativeException>(() => connecting);
        Assert.Equal(NativeStatus.Refused, refused.Status);
        Assert.Contains("who are you", refused.Message, StringComparison.Ordinal);

        NativeNamedConnection server = await LogIn(listener, client);
        Assert.NotSame(asks, server);
        Assert.Equal(NativeStatus.InvalidState, Assert.Throws<NativeException>(() => server.Refuse("too late")).Status);
        Assert.Equal(NativeStatus.InvalidState, Assert.Throws<NativeException>(() => server.Accept()).Status);
        Assert.Equal(NativeStatus.InvalidState, Assert.Throws<NativeException>(() => listener.Return(server)).Status);
        Assert.Throws<ArgumentException>(() => listener.Return(client));
        Assert.True(server.IsConnected);
    }

    /// <summary>The library wants no leader in its wait when such a connection is closed, so that one is called out for it.</summary>
    [Fact]
    public async Task AConnectionThatIsNotLentCanBeDisposedOfWhileALeaderWaits()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        using var client = NativeNamedConnection.Open(_server, Client, new NativeNamedOptions { NoReconnect = true });
        NativeNamedConnection server = await LogIn(listener, client);
        Task<(NativeStatus, NativeNamedConnection?)> leading = Leading(listener);
        Assert.True(SpinWait.SpinUntil(() => IsLed(listener), TimeSpan.FromSeconds(30)));
        server.Close(5, "you are done");
        Assert.Equal(NativeStatus.PeerClosed, client.Receive(out _, Soon, Stopping)); // and did not wait for an event
        Assert.Equal((5L, false, "you are done"), Of(client.LastEnd));
        Task<NativeStatus> connecting = Connecting(client);
        (NativeStatus status, NativeNamedConnection? again) = await leading; // it waited on
        Assert.Equal(NativeStatus.Ok, status);
        Assert.NotNull(again);
        Assert.NotSame(server, again);
        again.Accept();
        Assert.Equal(NativeStatus.Ok, await connecting);
    }

    [Fact]
    public async Task TheEndOfAListenerEndsTheWaitsInItAndInItsConnections()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        using var client = NativeNamedConnection.Open(_server, Client);
        NativeNamedConnection server = await LogIn(listener, client);
        Assert.Equal(NativeStatus.Ok, client.TrySend("x"u8, 0, out _));
        Next(listener, NativeNamedEventKind.Readable);
        Assert.Equal(NativeStatus.Ok, server.TryReceive(out _));
        Task<(NativeStatus, NativeNamedConnection?)> leading = Leading(listener);
        Task<NativeStatus> receiving = Task.Factory.StartNew(() => server.Receive(out _, Soon), Stopping, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.True(SpinWait.SpinUntil(() => IsLed(listener), TimeSpan.FromSeconds(30)));
        listener.Dispose();
        Assert.Equal(NativeStatus.Closed, (await leading).Item1);
        Assert.Contains(await Outcome(receiving), new[] { "Closed", nameof(ObjectDisposedException) });
        NativeNamedListener.Open(_server).Dispose(); // the name is free
    }

    [Fact]
    public void WaitsStopAreResumedTimeOutAndAreCancelled()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        using var client = NativeNamedConnection.Open(_server, Client, new NativeNamedOptions { NoReconnect = true });
        listener.Stop();
        Assert.Equal(NativeStatus.Stopped, listener.Next(out _, Soon, Stopping));
        listener.Resume();
        Assert.Equal(NativeStatus.Timeout, listener.Next(out NativeNamedEvent? none, NativeDeadline.Now, Stopping));
        Assert.Null(none);
        using var cancelled = new CancellationTokenSource(20);
        Assert.Equal(NativeStatus.Cancelled, listener.Next(out _, Soon, cancelled.Token));
        client.Stop();
        Assert.Equal(NativeStatus.Stopped, client.Receive(out _, Soon, Stopping));
        client.Resume();
        Assert.Equal(NativeStatus.Timeout, client.Receive(out _, NativeDeadline.Now, Stopping));
    }

    [Fact]
    public void AServerAttachesToAClientThatIsNotHere()
    {
        using NativeNamedListener listener = NativeNamedListener.Open(_server);
        Assert.Null(listener.OpenConnection(Client));
        using (var client = NativeNamedConnection.Open(_server, Client))
        {
            Assert.Equal(NativeStatus.InUse, Assert.Throws<NativeException>(() => NativeNamedConnection.Open(_server, Client)).Status);
            Assert.Equal(NativeStatus.InUse, Assert.Throws<NativeException>(() => NativeNamedConnection.Remove(_server, Client)).Status);
            Assert.Equal(NativeStatus.Ok, client.TrySend("left behind"u8, 6, out _));
        }

        NativeNamedConnection server = Assert.IsType<NativeNamedConnection>(listener.OpenConnection(Client));
        Assert.Same(server, listener.OpenConnection(Client));
        Take(server, "left behind", 1, 6);
        server.Acknowledge();
        server.Dispose();
        Assert.True(NativeNamedConnection.Remove(_server, Client));
        Assert.False(NativeNamedConnection.Remove(_server, Client));
    }

    private static async Task<NativeNamedConnection> LogIn(NativeNamedListener listener, NativeNamedConnection client, string reply = "")
    {
        Task<NativeStatus> connecting = Connecting(client);
        NativeNamedConnection server = Next(listener, NativeNamedEventKind.Login).Connection;
        server.Accept(Encoding.UTF8.GetBytes(reply));
        Assert.Equal(NativeStatus.Ok, await connecting);
        return server;
    }

    private static Task<NativeStatus> Connecting(NativeNamedConnection client) =>
        Task.Factory.StartNew(() => client.Connect(Soon), Stopping, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static Task<(NativeStatus, NativeNamedConnection?)> Leading(NativeNamedListener listener) =>
        Task.Factory.StartNew(() => Lead(listener), Stopping, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static (NativeStatus, NativeNamedConnection?) Lead(NativeNamedListener listener)
    {
        for (; ; )
        {
            try
            {
                return (listener.Next(out NativeNamedEvent? found, Soon), found?.Connection);
            }
            catch (InvalidOperationException e) when (e is not ObjectDisposedException)
            {
                Thread.Yield(); // the one who looks whether we are in it
            }
        }
    }

    /// <summary>A second leader is turned away.</summary>
    private static bool IsLed(NativeNamedListener listener)
    {
        try
        {
            Assert.Equal(NativeStatus.Timeout, listener.Next(out _, NativeDeadline.Now));
            return false;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }

    private static NativeNamedEvent Next(NativeNamedListener listener, NativeNamedEventKind kind)
    {
        Assert.Equal(NativeStatus.Ok, listener.Next(out NativeNamedEvent? found, Soon, Stopping));
        Assert.NotNull(found);
        Assert.Equal(kind, found.Kind);
        return found;
    }

    private static void Take(NativeNamedConnection connection, string text, ulong sequence, int type)
    {
        Assert.Equal(NativeStatus.Ok, connection.TryReceive(out NativeNamedMessage message));
        Assert.Equal(text, Encoding.UTF8.GetString(message.Payload));
        Assert.Equal((sequence, type), (message.Sequence, message.Type));
    }

    private static (long, bool, string) Of(NativeNamedEnd? end) => end is null ? (-1, false, "none") : (end.Code, end.Died, end.Text);

    private static async Task<string> Outcome(Task<NativeStatus> call)
    {
        try
        {
            return (await call).ToString();
        }
        catch (ObjectDisposedException)
        {
            return nameof(ObjectDisposedException); // the listener was faster than the call
        }
    }
}
