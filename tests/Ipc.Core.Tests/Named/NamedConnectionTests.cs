using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

public sealed class NamedConnectionTests : RegionTest
{
    public NamedConnectionTests() => LeavesFiles = true; // a conversation stays

    private static NamedConnectionOptions Little => new() { ToServerCapacity = 4096, ToClientCapacity = 4096, LoanBudget = 0 };

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public void WhatIsSentComesBackWithItsNumber(WaitMode mode)
    {
        using NamedServer server = new("exchange", new NamedListenerOptions { WaitMode = mode });
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { WaitMode = mode });
        for (int i = 1; i <= 2000; i++)
        {
            Assert.Equal(i, client.Send(NamedServer.Bytes(i, i % 300), (ushort)i));
            Assert.Equal(i, ReceiveOne(client, out bool again, out int type, out byte[] bytes));
            Assert.False(again);
            Assert.Equal(i, type);
            Assert.Equal(NamedServer.Bytes(i, i % 300), bytes);
        }

        Assert.True(client.IsConnected);
        Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
        Assert.Equal((2000, 2000, 2000), (client.LastSent, client.LastReceived, client.LastAcknowledged));
    }

    [Fact]
    public void MessagesWaitForAServerThatIsNotThere()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        Assert.Equal(1, client.Send("one"u8));
        Assert.Equal(2, client.Send("two"u8));
        Assert.False(client.IsConnected);
        Assert.Equal(2, client.Unacknowledged);
        Assert.Equal(IpcStatus.NotFound, client.TryConnect(Deadline.Now));
        using NamedServer server = new("exchange");
        Assert.Equal(1, ReceiveOne(client));
        Assert.Equal(2, ReceiveOne(client));
        Assert.Equal(["login trader ", "trader 1", "trader 2"], server.LogNow());
    }

    [Fact]
    public void TheConversationGoesOnWhenBothHaveBeenAway()
    {
        using (NamedServer server = new("exchange"))
        using (NamedConnection client = NamedConnection.Open("exchange", "trader"))
        {
            client.Send("one"u8);
            Assert.Equal(1, ReceiveOne(client));
            client.Send("two"u8);
            Watchdog.Until(() => server.LogNow().Contains("trader 2"), "the second message");
        }

        Assert.Contains("exchange~~trader", Regions.FilesOf("exchange"));
        using (NamedServer server = new("exchange"))
        using (NamedConnection client = NamedConnection.Open("exchange", "trader"))
        {
            client.Connect(Watchdog.Patience); // a sender's own login may give up a slow server, and come again
            Assert.Equal(2, client.LastSent);
            Assert.Equal(1, client.LastReceived);
            Assert.Equal(3, client.Send("three"u8));
            Assert.Equal(2, ReceiveOne(client));
            Assert.Equal(3, ReceiveOne(client));
            Assert.Equal(["login trader ", "trader 3"], server.LogNow());
        }
    }

    [Fact]
    public void WhatWasNotAcknowledgedComesAgainAndIsMarked()
    {
        using (NamedServer server = new("exchange"))
        {
            using NamedConnection client = NamedConnection.Open("exchange", "trader");
            for (int i = 1; i <= 5; i++)
                client.Send(NamedServer.Bytes(i));
            for (int i = 1; i <= 4; i++)
                Assert.Equal(IpcStatus.Ok, client.Receive(out _, Hang));
            client.Acknowledge(2);
            Assert.Equal(2, client.LastAcknowledged);
        }

        using NamedConnection next = NamedConnection.Open("exchange", "trader");
        List<(long, bool)> got = [];
        while (next.TryReceive(out NamedMessage message))
            got.Add((message.Sequence, message.Redelivered));
        Assert.Equal([(3, true), (4, true), (5, false)], got);
        next.Acknowledge(1); // done already
        Assert.Equal(2, next.LastAcknowledged);
        next.Acknowledge();
        Assert.Equal(5, next.LastAcknowledged);
    }

    [Fact]
    public void AcknowledgingOneByOneReleasesTheRoomOfEach()
    {
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        client.Connect();
        long sent = 0, done = 0;
        for (; sent < 10; sent++)
            Assert.True(client.TrySend(NamedServer.Bytes(sent + 1, 100)));
        while (done < 3000)
        {
            Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
            Assert.Equal(client.LastReceived, message.Sequence);
            if (client.LastReceived - done < 5)
                continue;
            client.Acknowledge(++done); // four are always out
            client.Send(NamedServer.Bytes(++sent, 100));
        }
    }

    [Fact]
    public void LongMessagesAreReleasedOneByOneToo()
    {
        const int Length = 300_000;
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open(
            "exchange", "trader", new NamedConnectionOptions { ToServerCapacity = 4096, ToClientCapacity = 4096, LoanBudget = 8 << 20 });
        long done = 0;
        for (int i = 1; i <= 100; i++)
        {
            client.Send(NamedServer.Bytes(i, Length));
            Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
            Assert.True(message.Payload.SequenceEqual(NamedServer.Bytes(i, Length)));
            if (i > 3)
                client.Acknowledge(++done);
        }
    }

    [Fact]
    public void ASecondClientOfTheNameIsRefusedWhileTheFirstLives()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        IpcException error = Fails(IpcStatus.InUse, () => NamedConnection.Open("exchange", "trader"));
        Assert.Contains($"client \"trader\" already, process {Environment.ProcessId}", error.Message, StringComparison.Ordinal);
        using NamedConnection another = NamedConnection.Open("exchange", "trader2");
        client.Dispose();
        using NamedConnection next = NamedConnection.Open("exchange", "trader");
    }

    [Fact]
    public void TheLoginAndItsReplyCarryData()
    {
        using NamedServer server = new("exchange") { Reply = "welcome" };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Login = "password"u8.ToArray() });
        client.Connect();
        Assert.Equal("welcome", Encoding.UTF8.GetString(client.ReadReply()));
        Assert.Equal("exchange", client.Identity);
        Assert.Equal(["login trader password"], server.LogNow());
        Assert.Equal(Environment.ProcessId, client.PeerProcessId);
    }

    [Fact]
    public void ARefusalHasItsReasonAndLosesNothing()
    {
        using NamedServer server = new("exchange") { Decide = static one => one.ReadLogin().Length == 0 ? "no password" : null };
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Reconnect = false });
        client.Send("one"u8);
        ConnectionRefusedException error = Assert.Throws<ConnectionRefusedException>(() => client.Connect());
        Assert.Equal("no password", error.Message);
        Assert.Equal(CloseCode.Refused, error.Code);
        client.Dispose();
        using NamedConnection better = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Login = "x"u8.ToArray() });
        Assert.Equal(1, ReceiveOne(better));
    }

    [Fact]
    public void EachSideIsToldWhyTheSessionEnded()
    {
        List<NamedConnectionChangedEventArgs> changes = [];
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Reconnect = false });
        client.Changed += (_, change) => changes.Add(change);
        client.Connect();
        server.Listener.Stop();
        server.Thread.Join();
        server.Listener.Close("maintenance");
        Assert.Equal(IpcStatus.PeerClosed, client.Receive(out _, Hang));
        Assert.Equal([NamedChange.Connected, NamedChange.Disconnected], changes.Select(static one => one.Change));
        Assert.Equal((IpcStatus.PeerClosed, CloseCode.Shutdown, "maintenance"), (changes[1].Reason, changes[1].Code, changes[1].Text));

        using NamedServer next = new("exchange");
        client.Connect();
        client.Close(CloseCode.Normal);
        Watchdog.Until(() => next.LogNow().Length == 2, "the logout");
        Assert.Equal(["login trader ", "logout trader PeerClosed Normal"], next.LogNow());
    }

    [Fact]
    public void AServerOfAnotherIdentityBeginsAnewAndTheClientIsTold()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        List<NamedConnectionChangedEventArgs> changes = [];
        client.Changed += (_, change) => changes.Add(change);
        using (NamedServer monday = new("exchange", new NamedListenerOptions { Identity = "monday" }) { Acknowledges = false })
        {
            client.Connect(Watchdog.Patience);
            for (int i = 1; i <= 3; i++)
                client.Send(NamedServer.Bytes(i));
            Assert.Equal(IpcStatus.Ok, client.Receive(out _, Hang));
            client.Acknowledge();
            Watchdog.Until(() => monday.LogNow().Length == 4, "all messages");
        }

        using NamedServer tuesday = new("exchange", new NamedListenerOptions { Identity = "tuesday" });
        client.Connect(Watchdog.Patience);
        Assert.Equal([NamedChange.Connected, NamedChange.Disconnected, NamedChange.Reset, NamedChange.Connected], changes.Select(static one => one.Change));
        NamedConnectionChangedEventArgs reset = changes[2];
        Assert.Equal(("monday", "tuesday", 3, 2), (reset.OldIdentity, reset.NewIdentity, reset.LostSent, reset.LostReceived));
        Assert.Equal("tuesday", client.Identity);
        Assert.Equal(1, client.Send("fresh"u8));
        Assert.Equal(1, ReceiveOne(client));
        Assert.Equal(["login trader ", "trader 1"], tuesday.LogNow());
    }

    [Fact]
    public void AClientGoesOnWithTheNextServerWithoutBeingTold()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        for (int life = 0; life < 5; life++)
        {
            using NamedServer server = new("exchange");
            for (int i = 1; i <= 100; i++)
            {
                long number = (life * 100) + i;
                Assert.Equal(number, client.Send(NamedServer.Bytes(number)));
                Assert.Equal(number, ReceiveOne(client));
            }
        }
    }

    [Fact]
    public void AReceiverThatWaitsFindsTheServerThatComes()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        client.Send("one"u8);
        Background receiver = Run(() => Assert.Equal(1, ReceiveOne(client)));
        receiver.UntilAsleep();
        using NamedServer server = new("exchange");
        receiver.Join();
    }

    [Fact]
    public void TheServerSendsToAClientThatIsAwayAndReadsWhatItLeft()
    {
        using (NamedConnection client = NamedConnection.Open("exchange", "trader"))
            client.Send("left behind"u8);
        using NamedListener listener = NamedListener.Open("exchange");
        Assert.False(listener.TryOpen("nobody", out _));
        Assert.True(listener.TryOpen("trader", out NamedConnection? connection));
        Assert.True(connection!.TryReceive(out NamedMessage message));
        Assert.Equal("left behind", Encoding.UTF8.GetString(message.Payload));
        connection.Acknowledge();
        Assert.Equal(1, connection.Send("for later"u8));
        using NamedConnection back = NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Reconnect = false });
        Assert.True(back.TryReceive(out message));
        Assert.Equal("for later", Encoding.UTF8.GetString(message.Payload));
    }

    [Fact]
    public void AServersConnectionIsTheSameObjectWhenItsClientComesBack()
    {
        using NamedListener listener = NamedListener.Open("exchange");
        NamedConnection? seen = null;
        for (int life = 1; life <= 3; life++)
        {
            using NamedConnection client = NamedConnection.Open("exchange", "trader");
            Background login = Run(() => client.Connect());
            NamedEvent next = Next(listener, NamedEventKind.Login);
            seen ??= next.Connection;
            Assert.Same(seen, next.Connection);
            next.Connection.Accept();
            login.Join();
            client.Send(NamedServer.Bytes(life));
            Assert.Same(seen, Next(listener, NamedEventKind.Readable).Connection);
            Assert.True(seen.TryReceive(out NamedMessage message));
            Assert.Equal(life, message.Sequence);
            seen.Acknowledge();
            listener.Return(seen);
            client.Dispose();
            Assert.Equal(IpcStatus.PeerClosed, Next(listener, NamedEventKind.Logout).Reason);
        }
    }

    [Fact]
    public void ALoginWhileTheFormerSessionIsBeingHandledIsLetInAfterwards()
    {
        using NamedListener listener = NamedListener.Open("exchange");
        NamedConnection first = NamedConnection.Open("exchange", "trader");
        Background login = Run(() => first.Connect());
        Next(listener, NamedEventKind.Login).Connection.Accept();
        login.Join();
        first.Send("one"u8);
        NamedConnection lent = Next(listener, NamedEventKind.Readable).Connection;
        first.Dispose();
        using NamedConnection second = NamedConnection.Open("exchange", "trader");
        Background again = Run(() => second.Connect(TimeSpan.FromSeconds(30)));
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.FromMilliseconds(50)));
        listener.Return(lent);
        for (; ; )
        {
            Assert.Equal(IpcStatus.Ok, listener.Next(out NamedEvent next, Hang));
            if (next.Kind == NamedEventKind.Readable)
            {
                Assert.True(lent.TryReceive(out _));
                listener.Return(lent);
            }

            if (next.Kind != NamedEventKind.Login)
                continue;
            next.Connection.Accept();
            break;
        }

        again.Join();
    }

    [Fact]
    public void WhatIsAcknowledgedAfterTheReturnIsRoomAtOnce()
    {
        using NamedListener listener = NamedListener.Open("exchange", new NamedListenerOptions { WaitMode = WaitMode.Block });
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        Background login = Run(() => client.Connect());
        NamedConnection connection = Next(listener, NamedEventKind.Login).Connection;
        connection.Accept();
        login.Join();
        int sent = 0;
        while (client.TrySend(NamedServer.Bytes(1, 100)))
            sent++;
        Assert.Same(connection, Next(listener, NamedEventKind.Readable).Connection);
        while (connection.TryReceive(out _))
        {
        }

        listener.Return(connection);
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.FromMilliseconds(50))); // the ring is armed
        connection.Acknowledge(1); // far less than an eighth: it would be held back, and nobody looks whether it is wanted
        Assert.Equal(IpcStatus.Ok, client.Send(NamedServer.Bytes(1, 100), 0, Hang));
        Assert.True(sent > 8);
    }

    /// <summary>Killing found it: a wake takes the flag with it that the leader has set, which sleeps on its doorbell.</summary>
    [Fact]
    public void AWakeOfAllWaitersDoesNotMakeTheServerDeaf()
    {
        using NamedListener listener = NamedListener.Open("exchange", new NamedListenerOptions { WaitMode = WaitMode.Block });
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        Background login = Run(() => client.Connect());
        NamedConnection connection = Next(listener, NamedEventKind.Login).Connection;
        connection.Accept();
        login.Join();
        for (int i = 1; i <= 3; i++)
        {
            Background leader = Run(() => Next(listener, NamedEventKind.Readable));
            leader.UntilAsleep();
            if (i == 1)
                client.EndsNow.Region.SignalAll(); // as the client's watch does
            else if (i == 2)
                connection.EndsNow.Region.SignalAll();
            else
                connection.Stop();
            connection.Resume();
            leader.UntilAsleep();
            client.Send(NamedServer.Bytes(i));
            leader.Join();
            Assert.Equal(i, ReceiveOne(connection));
            listener.Return(connection);
        }
    }

    [Fact]
    public void SendingDoesNotWaitForAServerThatDoesNotAnswer()
    {
        using Listener deaf = Listener.Open("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        for (int i = 1; i <= 3; i++)
            Assert.Equal(i, client.Send("there is room"u8, cancellationToken: None));
    }

    [Fact]
    public void ALoginBesideOneThatIsNotAnsweredIsToTryAgain()
    {
        using NamedListener listener = NamedListener.Open("exchange");
        using (NamedConnection gone = NamedConnection.Open("exchange", "trader"))
            Assert.Equal(IpcStatus.Timeout, gone.TryConnect(Deadline.FromMilliseconds(100)));
        using (NamedConnection impatient = NamedConnection.Open("exchange", "trader"))
        {
            Background asks = Run(() => Assert.Equal(IpcStatus.Timeout, impatient.TryConnect(Deadline.FromMilliseconds(300))));
            NamedConnection asked = Next(listener, NamedEventKind.Login).Connection;
            asks.Join();
            impatient.Dispose();
            using NamedConnection next = NamedConnection.Open("exchange", "trader");
            Background again = Run(() => Assert.Equal(IpcStatus.PeerClosed, next.TryConnect(Hang)));
            Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.FromMilliseconds(200)));
            again.Join();
            asked.Accept(); // nobody is there any more
            Background last = Run(() => next.Connect(TimeSpan.FromSeconds(30)));
            NamedEvent found;
            do
                Assert.Equal(IpcStatus.Ok, listener.Next(out found, Hang));
            while (found.Kind != NamedEventKind.Login);
            found.Connection.Accept();
            last.Join();
        }
    }

    [Fact]
    public void WaitsEndByStopTokenAndDispose()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        Assert.Equal(IpcStatus.Timeout, client.Receive(out _, Deadline.FromMilliseconds(30)));
        Background stopped = Run(() => Assert.Equal(IpcStatus.Stopped, client.Receive(out _, Deadline.Never)));
        stopped.UntilAsleep();
        client.Stop();
        stopped.Join();
        client.Resume();
        using CancellationTokenSource cancel = new();
        Background cancelled = Run(() => Assert.Equal(IpcStatus.Cancelled, client.Receive(out _, Deadline.Never, cancel.Token)));
        cancelled.UntilAsleep();
        cancel.Cancel();
        cancelled.Join();
        while (client.TrySend(NamedServer.Bytes(1, 1000)))
        {
        }

        Background full = Run(() => Assert.Equal(IpcStatus.Closed, client.Claim(1000, out _, Deadline.Never)));
        Background empty = Run(() => Assert.Equal(IpcStatus.Closed, client.Receive(out _, Deadline.Never)));
        full.UntilAsleep();
        empty.UntilAsleep();
        client.Dispose();
        full.Join();
        empty.Join();
    }

    [Fact]
    public void StopEndsTheWaitForAServerThatDoesNotAnswer()
    {
        using Listener deaf = Listener.Open("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        Background stopped = Run(() => Assert.Equal(IpcStatus.Stopped, client.Receive(out _, Deadline.Never)));
        stopped.UntilAsleep();
        client.Stop();
        stopped.Join();
        client.Resume();
        Background closed = Run(() => Assert.Equal(IpcStatus.Closed, client.Receive(out _, Deadline.Never)));
        closed.UntilAsleep();
        client.Dispose();
        closed.Join();
    }

    [Fact]
    public void AFullRingWaitsForTheAcknowledgement()
    {
        using NamedConnection client = NamedConnection.Open("exchange", "trader", Little);
        int count = 0;
        while (client.TrySend(NamedServer.Bytes(1, 1000)))
            count++;
        Assert.InRange(count, 2, 3);
        Assert.Equal(IpcStatus.Timeout, client.Send(NamedServer.Bytes(1, 1000), 0, Deadline.FromMilliseconds(30)));
        Assert.Throws<TimeoutException>(() => client.Send(NamedServer.Bytes(1, 1000), timeout: TimeSpan.FromMilliseconds(20)));
        using NamedServer server = new("exchange") { Answers = false };
        Assert.Equal(count + 1, client.Send(NamedServer.Bytes(1, 1000)));
        Fails(IpcStatus.TooLarge, () => client.TryClaim(client.MaxPayload + 1, out _));
    }

    [Fact]
    public void AConversationIsRemovedByNameWhenNobodyIsThere()
    {
        NamedConnection client = NamedConnection.Open("exchange", "trader");
        client.Send("one"u8);
        Fails(IpcStatus.InUse, () => NamedConnection.Remove("exchange", "trader"));
        client.Dispose();
        Assert.True(NamedConnection.Remove("exchange", "trader"));
        Assert.False(NamedConnection.Remove("exchange", "trader"));
        using NamedConnection fresh = NamedConnection.Open("exchange", "trader");
        Assert.Equal(1, fresh.Send("one"u8));
    }

    [Fact]
    public void NamesOfTheMachineAndLoginsThatAreTooLongAreRefused()
    {
        Fails(IpcStatus.InvalidArgument, () => NamedConnection.Open("machine/exchange", "trader"));
        Fails(IpcStatus.InvalidArgument, () => NamedListener.Open("machine/exchange"));
        Fails(IpcStatus.InvalidName, () => NamedConnection.Open("exchange", "a b"));
        Fails(IpcStatus.InvalidArgument, () => NamedConnection.Open("exchange", "trader", new NamedConnectionOptions { Login = new byte[1025] }));
        Fails(IpcStatus.InvalidArgument, () => NamedListener.Open("exchange", new NamedListenerOptions { Identity = "" }));
    }

    [Fact]
    public void AListenerOfCallsSaysThatItIsNone()
    {
        using Listener calls = Listener.Open("exchange", new ListenerOptions { Protocol = new ConnectionProtocol(ConnectionProtocol.Calls, 1) });
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        Fails(IpcStatus.WrongKind, () => client.Connect());
    }

    [Fact]
    public void AHandlerOfChangesMayAskAndDispose()
    {
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        bool wasConnected = false;
        client.Changed += (_, _) =>
        {
            wasConnected = client.IsConnected;
            client.Dispose();
            throw new InvalidOperationException("a handler's own");
        };
        client.Connect();
        Assert.True(wasConnected);
        Assert.Equal(IpcStatus.Closed, client.Receive(out _, Deadline.Never));
    }

    [Fact]
    public void ManyClientsShareOneThreadOfTheServer()
    {
        const int Clients = 200;
        using NamedServer server = new("exchange");
        NamedConnection[] clients = [.. Enumerable.Range(0, Clients).Select(i => Own(NamedConnection.Open("exchange", $"client-{i}", Little)))];
        for (int round = 1; round <= 10; round++)
        {
            foreach (NamedConnection client in clients)
                client.Send(NamedServer.Bytes(round));
            foreach (NamedConnection client in clients)
                Assert.Equal(round, ReceiveOne(client));
        }
    }

    [Fact]
    public void SendingAndReceivingAllocateNothing()
    {
        using NamedServer server = new("exchange");
        using NamedConnection client = NamedConnection.Open("exchange", "trader");
        byte[] bytes = NamedServer.Bytes(1, 64);
        long before = 0;
        for (int i = 0; i < 2000; i++)
        {
            if (i == 1000)
                before = GC.GetAllocatedBytesForCurrentThread();
            if (client.Send(bytes, 0, Hang) != IpcStatus.Ok || client.Receive(out _, Hang) != IpcStatus.Ok)
                Assert.Fail("it ended");
            client.Acknowledge();
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 10_000);
    }

    private static NamedEvent Next(NamedListener listener, NamedEventKind kind)
    {
        Assert.Equal(IpcStatus.Ok, listener.Next(out NamedEvent next, Hang));
        Assert.Equal(kind, next.Kind);
        return next;
    }

    private static long ReceiveOne(NamedConnection connection) => ReceiveOne(connection, out _, out _, out _);

    private static long ReceiveOne(NamedConnection connection, out bool again, out int type, out byte[] bytes)
    {
        Assert.Equal(IpcStatus.Ok, connection.Receive(out NamedMessage message, Hang));
        (again, type, bytes) = (message.Redelivered, message.Type, message.Payload.ToArray());
        long sequence = message.Sequence;
        connection.Acknowledge();
        return sequence;
    }
}
