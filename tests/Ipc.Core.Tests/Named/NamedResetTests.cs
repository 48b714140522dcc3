using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A conversation that is begun anew, while it is used, and where that does not succeed at once; and logins that are none.</summary>
public sealed class NamedResetTests : RegionTest
{
    private const string File = "exchange~~trader";

    public NamedResetTests() => LeavesFiles = true; // a conversation stays

    private static NamedConnectionOptions Alone => new() { Reconnect = false };

    [Fact]
    public void WhatIsClaimedInAConversationThatIsGivenUpIsNotSentAndSaysSo()
    {
        using NamedConnection client = OfMonday();
        using NamedServer tuesday = new("exchange", new NamedListenerOptions { Identity = "tuesday" });
        Assert.True(client.TryClaim(8, out Span<byte> payload));
        payload.Clear();
        client.Connect(Watchdog.Patience);
        Assert.Equal(0, client.Commit(8));
        Assert.Equal(0, client.LastSent);
        Assert.Equal(1, client.Send("again"u8));
        Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage echo, Hang));
        Assert.Equal(1, echo.Sequence);
    }

    [Fact]
    public void AMessageOfTheFormerConversationIsNotAcknowledgedInTheNextOne()
    {
        using NamedConnection client = OfMonday(answers: true);
        using NamedServer tuesday = new("exchange", new NamedListenerOptions { Identity = "tuesday" });
        client.Connect(Watchdog.Patience);
        client.Send("fresh"u8);
        Watchdog.Until(() => tuesday.LogNow().Length == 2, "the message");
        client.Acknowledge(); // of what was received on monday
        Assert.Equal(0, client.LastAcknowledged);
        Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage echo, Hang));
        Assert.Equal(1, echo.Sequence);
        client.Acknowledge();
        Assert.Equal(1, client.LastAcknowledged);
    }

    /// <summary>Somebody who is stopped has the region's lock, say.</summary>
    [Fact]
    public void AResetThatDoesNotSucceedAtOnceIsGoneOnWithAtTheNextAttempt()
    {
        List<NamedConnectionChangedEventArgs> changes = [];
        using NamedConnection client = OfMonday();
        client.Changed += (_, change) => changes.Add(change);
        using (LiveRegion region = Look(File))
        {
            Assert.True(region.TryLock(Wire.Region.LockOfRegion));
            client.GiveUp("tuesday");
            Assert.Equal(IpcStatus.Timeout, client.TryConnect(Hang));
            Assert.False(client.TrySend("nowhere"u8));
            Assert.Equal(IpcStatus.Timeout, client.Send("nowhere"u8, 0, Deadline.FromMilliseconds(50)));
            Assert.Equal(IpcStatus.Timeout, client.Receive(out _, Deadline.FromMilliseconds(50)));
        }

        using NamedServer tuesday = new("exchange", new NamedListenerOptions { Identity = "tuesday" });
        client.Connect(Watchdog.Patience);
        Assert.Equal([NamedChange.Reset, NamedChange.Connected], changes.Select(static one => one.Change).Where(static one => one != NamedChange.Disconnected));
        Assert.Equal(1, client.Send("fresh"u8));
        Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage echo, Hang));
        Assert.Equal(1, echo.Sequence);
    }

    [Fact]
    public void AStopDuringAResetIsNotForgotten()
    {
        using NamedConnection client = OfMonday();
        client.GiveUp("tuesday");
        client.Stop();
        using NamedServer tuesday = new("exchange", new NamedListenerOptions { Identity = "tuesday" });
        Assert.ThrowsAny<IpcException>(() => client.Connect(Watchdog.Patience)); // it begins anew, and does not ask
        Assert.Equal(IpcStatus.Stopped, client.Receive(out _, Deadline.Never));
        client.Resume();
        client.Connect(Watchdog.Patience);
        Assert.Equal(1, client.Send("fresh"u8));
    }

    [Fact]
    public void DisposeDuringAResetEndsIt()
    {
        using NamedConnection client = OfMonday();
        client.GiveUp("tuesday");
        Background receiver = Run(() => Assert.Equal(IpcStatus.Closed, client.Receive(out _, Deadline.Never)));
        client.Dispose();
        receiver.Join();
        Assert.Equal(IpcStatus.Closed, client.Send("nowhere"u8, 0, Deadline.Never));
    }

    [Fact]
    public void ALoginThatWasDisposedOfByAnotherThreadIsAnsweredWithoutEffect()
    {
        using NamedListener listener = NamedListener.Open("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Alone);
        Background login = Run(() => Assert.Equal(IpcStatus.PeerClosed, client.TryConnect(Hang))); // and not that it is refused
        Assert.Equal(IpcStatus.Ok, listener.Next(out NamedEvent asked, Hang));
        asked.Connection.Dispose();
        asked.Connection.Accept();
        asked.Connection.Refuse("nor this");
        login.Join();
        Background again = Run(() => Assert.Equal(IpcStatus.Ok, client.TryConnect(Hang)));
        Assert.Equal(IpcStatus.Ok, listener.Next(out NamedEvent next, Hang));
        Assert.NotSame(asked.Connection, next.Connection);
        next.Connection.Accept();
        again.Join();
    }

    [Fact]
    public void WhoSaysAnotherRegionThanTheConversationsIsRefusedAndHarmsNobody()
    {
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Alone);
        client.Connect();
        byte[] hello = [.. new byte[16], .. "trader"u8];
        ConnectOptions options = new()
        {
            Hello = hello,
            Protocol = NamedConnection.Protocol,
            ToServerCapacity = 4096,
            ToClientCapacity = 4096,
            LoanBudget = 0,
        };
        for (int i = 0; i < 3; i++)
            Assert.Contains("not the conversation", Assert.Throws<ConnectionRefusedException>(() => Connection.Connect("exchange", options)).Message, StringComparison.Ordinal);
        Assert.True(client.IsConnected);
        Assert.Equal(1, client.Send("still here"u8));
        Assert.Equal(IpcStatus.Ok, client.Receive(out _, Hang));
    }

    /// <summary>The one that asks with a region of its own, after the former one was removed by force, is let in.</summary>
    [Fact]
    public void AConversationThatWasRemovedByForceIsBegunAnew()
    {
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Alone);
        client.Connect();
        System.IO.File.Delete(Regions.FileOf(File));
        using NamedConnection next = NamedConnection.Open("exchange", "trader", Alone);
        next.Connect(Watchdog.Patience);
        Assert.Equal(1, next.Send("fresh"u8));
        Assert.Equal(IpcStatus.Ok, next.Receive(out _, Hang));
    }

    [Theory]
    [InlineData(0UL)]
    [InlineData(ulong.MaxValue)]
    [InlineData((1UL << 62) + 1)]
    public void NumbersThatNoConversationHasAreRefused(ulong number)
    {
        using (NamedConnection client = NamedConnection.Open("exchange", "trader", Alone))
            client.Send("one"u8);
        using (LiveRegion region = Look(File))
        {
            long ring = (long)region.U64(region.Body + 8);
            region.U64((long)region.U64(ring + 16) + 8, number);
        }

        Fails(IpcStatus.Corrupt, () => NamedConnection.Open("exchange", "trader", Alone));
        using (LiveRegion region = Look(File))
        {
            long ring = (long)region.U64(region.Body + 8);
            region.U64((long)region.U64(ring + 16) + 8, 1);
            region.U64((long)region.U64(region.Body + 16) + 272, number); // acknowledged by the client
        }

        if (number == 0)
            NamedConnection.Open("exchange", "trader", Alone).Dispose();
        else
            Fails(IpcStatus.Corrupt, () => NamedConnection.Open("exchange", "trader", Alone));
    }

    /// <summary>A server that answers, and whose rings say that it has gone: nobody is held beyond what ends any wait.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AServerThatSaysInItsSessionThatItHasLeftHoldsNobodyUp(bool writes)
    {
        using NamedServer server = new("exchange") { Answers = false, Acknowledges = false };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { ToServerCapacity = 4096 });
        client.Connect();
        while (client.TrySend(new byte[500]))
        {
        }

        using LiveRegion region = Look(File);
        long ring = (long)region.U64(region.Body + (writes ? Wire.Named.ToServer : Wire.Named.ToClient));
        region[ring + (writes ? Wire.Ring.ReaderState : Wire.Ring.WriterState)] = Wire.Ring.Left;
        Background user = Run(() =>
        {
            Assert.Equal(IpcStatus.Timeout, client.Receive(out _, Deadline.FromMilliseconds(20)));
            Assert.Equal(IpcStatus.Timeout, client.Send(new byte[500], 0, Deadline.FromMilliseconds(20)));
            using CancellationTokenSource canceller = new(20);
            Assert.Equal(IpcStatus.Cancelled, client.Send(new byte[500], 0, Deadline.Never, canceller.Token));
        });
        user.Join();
    }

    /// <summary>The other thread finds that the server has gone, and does not come again: who sleeps has to look for it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhoWaitsLooksForTheServerWhenAnotherThreadHasLostIt(bool sends)
    {
        using NamedServer server = new("exchange") { Answers = !sends, Acknowledges = !sends };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { ToServerCapacity = 4096 });
        client.Connect();
        while (sends && client.TrySend(new byte[500]))
        {
        }

        Background waiter = sends
            ? Run(() => Assert.Equal(IpcStatus.Stopped, client.Send(new byte[500], 0, Deadline.Never)))
            : Run(() => Assert.Equal(IpcStatus.Ok, client.Receive(out _, Deadline.Never)));
        waiter.UntilAsleep();
        using (LiveRegion region = Look(File))
        {
            long ring = (long)region.U64(region.Body + (sends ? Wire.Named.ToClient : Wire.Named.ToServer));
            int state = sends ? Wire.Ring.WriterState : Wire.Ring.ReaderState; // that the waiter does not look at
            region[ring + state] = Wire.Ring.Left;
            Assert.True(client.LosesPeer(client.EndsNow, IpcStatus.PeerClosed));
            region[ring + state] = Wire.Ring.Live;
        }

        Watchdog.Until(() => server.LogNow().Count(static line => line.StartsWith("login", StringComparison.Ordinal)) == 2, "the next login");
        if (sends)
            client.Stop();
        else
            client.Send("echo"u8);
        waiter.Join();
    }

    /// <summary>A client that was with another server: one message of it is not acknowledged.</summary>
    private static NamedConnection OfMonday(bool answers = false)
    {
        NamedConnection client = NamedConnection.Open("exchange", "trader", Alone);
        using NamedServer monday = new("exchange", new NamedListenerOptions { Identity = "monday" }) { Answers = answers, Acknowledges = false };
        client.Connect(Watchdog.Patience);
        client.Send("one"u8);
        Watchdog.Until(() => monday.LogNow().Length == 2, "the message");
        if (answers)
            Assert.Equal(IpcStatus.Ok, client.Receive(out _, Hang));
        return client;
    }
}
