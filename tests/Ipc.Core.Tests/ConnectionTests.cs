using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

public sealed class ConnectionTests : RegionTest
{
    private static uint? ThisUser => OperatingSystem.IsWindows() ? null : LinuxNative.geteuid();

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Spin)]
    [InlineData(WaitMode.Block)]
    public void WhatIsSentComesBack(WaitMode mode)
    {
        int rounds = mode == WaitMode.Spin ? 200 : 2000;
        using EchoServer server = new("echo", new ListenerOptions { WaitMode = mode });
        using Connection connection = Connection.Connect("echo", new ConnectOptions { WaitMode = mode });
        Assert.True(connection.IsOpen);
        Assert.Equal(Environment.ProcessId, connection.PeerProcessId);
        Assert.Equal(ThisUser, connection.PeerUserId);
        for (int i = 0; i < rounds; i++)
        {
            string text = new('x', i % 400);
            Assert.Equal(text, EchoServer.Call(connection, text));
        }
    }

    [Fact]
    public void TheNamesAreGoneWhenTheyAreNotNeeded()
    {
        using (EchoServer server = new("echo"))
        {
            using Connection connection = Connection.Connect("echo");
            Assert.Equal(["echo"], Regions.FilesOf("echo"));
        }

        Assert.Empty(Regions.FilesOf("echo"));
    }

    [Fact]
    public void ConnectingWithoutAServerFailsAtOnceOrAtTheDeadline()
    {
        Fails(IpcStatus.NotFound, () => Connection.Connect("nobody"));
        Fails(IpcStatus.NotFound, () => Connection.Connect("nobody", new ConnectOptions { Deadline = Deadline.FromMilliseconds(30) }));
    }

    [Fact]
    public void ConnectingWaitsForTheServer()
    {
        Background client = Run(() =>
        {
            using Connection connection = Connection.Connect("late", new ConnectOptions { Deadline = Hang });
            Assert.Equal("hi", EchoServer.Call(connection, "hi"));
        });
        client.UntilAsleep();
        using EchoServer server = new("late");
        client.Join();
    }

    [Fact]
    public void AServerThatDoesNotAnswerIsATimeoutAndLeavesNothing()
    {
        using Listener listener = Listener.Open("deaf");
        Fails(IpcStatus.Timeout, () => Connection.Connect("deaf", new ConnectOptions { Deadline = Deadline.FromMilliseconds(50) }));
        Assert.Equal(["deaf"], Regions.FilesOf("deaf"));
    }

    [Fact]
    public void ConnectingCanBeCancelled()
    {
        using Listener listener = Listener.Open("deaf");
        using CancellationTokenSource cancel = new();
        Background client = Run(() => Fails(IpcStatus.Cancelled, () => Connection.Connect("deaf", new ConnectOptions { Deadline = Deadline.Never }, cancel.Token)));
        Watchdog.Until(() => Regions.FilesOf("deaf").Count == 2, "the request");
        cancel.Cancel();
        client.Join();
    }

    [Fact]
    public void ARefusalCarriesItsReason()
    {
        using EchoServer server = new("strict") { Decide = connection => $"{Encoding.UTF8.GetString(connection.Hello.Span)}? No: {new string('ä', 200)}" };
        ConnectionRefusedException error = Assert.Throws<ConnectionRefusedException>(() =>
            Connection.Connect("strict", new ConnectOptions { Hello = "me"u8.ToArray() }));
        Assert.StartsWith("me? No: ää", error.Message, StringComparison.Ordinal);
        Assert.Equal(9 + 115, error.Message.Length); // cut to 240 bytes, not in the middle of a character
        Watchdog.Until(() => server.Listener.Count == 0, "the slot to be free");
    }

    [Fact]
    public void ATooLargeRingIsRefused()
    {
        using EchoServer server = new("small", new ListenerOptions { MaxRingCapacity = 4096 });
        Assert.Contains("8192", Assert.Throws<ConnectionRefusedException>(() =>
            Connection.Connect("small", new ConnectOptions { ToServerCapacity = 8192, ToClientCapacity = 4096 })).Message, StringComparison.Ordinal);
        using Connection connection = Connection.Connect("small", new ConnectOptions { ToServerCapacity = 4096, ToClientCapacity = 4096 });
        Assert.Equal("fits", EchoServer.Call(connection, "fits"));
    }

    /// <summary>Nobody has it who could dispose it: the listener hands it out once more.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AConnectionThatIsShutDownWhileItIsNotLentComesBackAsClosed(bool leaderSleeps)
    {
        using Listener listener = Listener.Open("shut", new ListenerOptions { MaxConnections = 1 });
        Background client = Run(() =>
        {
            using Connection mine = Connection.Connect("shut", new ConnectOptions { Deadline = Hang });
            Assert.Equal(IpcStatus.PeerClosed, mine.Reader.Read(out _, Hang));
            Assert.Equal(CloseCode.Protocol, mine.PeerCloseCode);
        });
        Connection connection = Expect(listener, ListenerEventKind.Connect);
        connection.Accept();
        listener.Return(connection);
        if (leaderSleeps)
        {
            Background leader = Run(() => Assert.Same(connection, Expect(listener, ListenerEventKind.Closed)));
            leader.UntilAsleep();
            connection.Shutdown(CloseCode.Protocol, "enough");
            leader.Join();
        }
        else
        {
            connection.Shutdown(CloseCode.Protocol, "enough");
            Assert.Same(connection, Expect(listener, ListenerEventKind.Closed));
        }

        connection.Shutdown(CloseCode.Normal); // once more has no effect
        connection.Dispose();
        client.Join();
        Assert.Equal(0, listener.Count);
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.Now));
    }

    /// <summary>What its client has sent comes first.</summary>
    [Fact]
    public void AConnectionThatIsShutDownIsReadToItsEndFirst()
    {
        using Listener listener = Listener.Open("shut");
        using ManualResetEventSlim sent = new();
        Background client = Run(() =>
        {
            using Connection mine = Connection.Connect("shut", new ConnectOptions { Deadline = Hang });
            Assert.True(mine.Writer.TryWrite("last words"u8));
            sent.Set();
            Assert.Equal(IpcStatus.PeerClosed, mine.Reader.Read(out _, Hang));
        });
        Connection connection = Expect(listener, ListenerEventKind.Connect);
        connection.Accept();
        Assert.True(sent.Wait(Watchdog.Patience));
        listener.Return(connection);
        connection.Shutdown(CloseCode.Normal);
        Assert.Same(connection, Expect(listener, ListenerEventKind.Readable));
        Assert.True(connection.Reader.TryRead(out RingRecord record));
        Assert.Equal(10, record.Payload.Length);
        connection.Reader.Release();
        listener.Return(connection);
        Assert.Same(connection, Expect(listener, ListenerEventKind.Closed));
        connection.Dispose();
        client.Join();
    }

    private static Connection Expect(Listener listener, ListenerEventKind kind)
    {
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent e, Hang));
        Assert.Equal(kind, e.Kind);
        return e.Connection;
    }

    [Fact]
    public void OneConnectionTooManyIsRefusedAndThereIsRoomAgainLater()
    {
        using EchoServer server = new("two", new ListenerOptions { MaxConnections = 2 });
        using Connection first = Connection.Connect("two");
        using (Connection second = Connection.Connect("two"))
            Assert.Contains('2', Assert.Throws<ConnectionRefusedException>(() => Connection.Connect("two")).Message);
        Watchdog.Until(() => server.Listener.Count == 1, "the second's place");
        using Connection third = Connection.Connect("two");
        Assert.Equal("third", EchoServer.Call(third, "third"));
    }

    [Fact]
    public void AFullTableIsATypedError()
    {
        using EchoServer server = new("full", new ListenerOptions { MaxConnections = 63 });
        List<Connection> connections = new();
        for (int i = 0; i < 63; i++)
            connections.Add(Own(Connection.Connect("full")));
        Fails(IpcStatus.TableFull, () => Connection.Connect("full"));
        connections[7].Dispose();
        Connection? again = null;
        Watchdog.Until(() =>
        {
            try
            {
                again = Own(Connection.Connect("full"));
            }
            catch (IpcException full) when (full.Status == IpcStatus.TableFull)
            {
                // the server frees a place last of all
            }

            return again != null;
        }, "a free place");
        Assert.Equal(8, again!.Slot);
    }

    [Fact]
    public void ASecondServerIsRefusedAndNamed()
    {
        using Listener listener = Listener.Open("one");
        Assert.Contains(Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture),
            Fails(IpcStatus.InUse, () => Listener.Open("one")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ARingIsNotAListener()
    {
        using RingWriter ring = RingWriter.Open("ring", Small());
        Fails(IpcStatus.WrongKind, () => Connection.Connect("ring"));
        Fails(IpcStatus.WrongKind, () => Listener.Open("ring"));
    }

    [Fact]
    public void WhatWasSentBeforeTheCloseIsStillRead()
    {
        using Listener listener = Listener.Open("close");
        (Connection client, Connection server) = Pair(listener, "close");
        for (ushort i = 0; i < 10; i++)
        {
            Assert.True(server.Writer.TryWrite(new byte[8], i));
            Assert.True(client.Writer.TryWrite(new byte[8], i));
        }

        server.Shutdown(CloseCode.Protocol, "because");
        server.Shutdown(CloseCode.Normal, "too late");
        Assert.False(client.IsOpen);
        Assert.Equal(CloseCode.Protocol, client.PeerCloseCode);
        Assert.Equal("because", client.PeerCloseText);
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(IpcStatus.Ok, client.Reader.Read(out RingRecord record, Hang));
            Assert.Equal(i, record.Type);
        }

        Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out _, Hang));
        Assert.Equal(IpcStatus.Closed, server.Reader.Wait(Deadline.Never));
        client.Dispose();
        Assert.Equal(CloseCode.Normal, server.PeerCloseCode);
        for (int i = 0; i < 10; i++)
            Assert.True(server.Reader.TryRead(out _));
        server.Dispose();
    }

    [Fact]
    public void TheServerHearsOfAClientsEndAfterItsLastRecord()
    {
        using Listener listener = Listener.Open("end");
        (Connection client, Connection server) = Pair(listener, "end");
        listener.Return(server);
        IpcStatus reason = IpcStatus.Ok;
        int raised = 0;
        server.Closed += (_, e) =>
        {
            raised++;
            reason = e.Reason;
            throw new InvalidOperationException("a handler's failure goes no further");
        };
        Assert.True(client.Writer.TryWrite("last"u8));
        client.Dispose();
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
        Assert.Equal(ListenerEventKind.Readable, next.Kind);
        Assert.True(server.Reader.TryRead(out _));
        server.Reader.Release();
        listener.Return(server);
        Assert.Equal(IpcStatus.Ok, listener.Next(out next, Hang));
        Assert.Equal(ListenerEventKind.Closed, next.Kind);
        Assert.Same(server, next.Connection);
        Assert.Equal(IpcStatus.PeerClosed, reason);
        Assert.Equal(1, raised);
        server.Dispose();
        Assert.Equal(0, listener.Count);
    }

    [Fact]
    public void ALentConnectionIsNotWatched()
    {
        using Listener listener = Listener.Open("lent");
        (Connection client, Connection server) = Pair(listener, "lent");
        Assert.True(client.Writer.TryWrite("x"u8));
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.FromMilliseconds(20)));
        Background returning = Run(() => Assert.Equal(IpcStatus.Ok, listener.Next(out _, Hang)));
        returning.UntilAsleep();
        listener.Return(server);
        returning.Join();
        client.Dispose();
        server.Dispose();
    }

    [Theory]
    [InlineData(WaitMode.Block)]
    [InlineData(WaitMode.Adaptive)]
    public void WhatComesBackWhileTheLeaderFallsAsleepIsWatched(WaitMode mode)
    {
        // The leader lends the connection, and arms everything else and goes to sleep, while another thread gives it back.
        int last = 10_000; // or less, where a machine is so busy that they would take minutes: each of them waits for three threads
        using Listener listener = Listener.Open("back", new ListenerOptions { WaitMode = mode });
        (Connection client, Connection server) = Pair(listener, "back");
        listener.Return(server);
        int lent = 0, returned = 0;
        Background borrower = Run(() =>
        {
            for (int round = 1; round <= Volatile.Read(ref last); round++)
            {
                SpinUntil(ref lent, round);
                Assert.True(server.Reader.TryRead(out _));
                server.Reader.Release();
                Thread.SpinWait(round % 64); // at another moment of its falling asleep
                listener.Return(server);
                Volatile.Write(ref returned, round);
            }
        });
        Background leader = Run(() =>
        {
            for (int round = 1; round <= Volatile.Read(ref last); round++)
            {
                Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
                Assert.Equal(ListenerEventKind.Readable, next.Kind);
                Volatile.Write(ref lent, round);
            }
        });
        Deadline enough = Deadline.After(TimeSpan.FromSeconds(10));
        for (int round = 1; round <= last; round++)
        {
            if (enough.HasPassed)
                Volatile.Write(ref last, round); // before it is sent: the others see it when they have had it
            Assert.True(client.Writer.TryWrite("x"u8));
            SpinUntil(ref returned, round);
        }

        leader.Join();
        borrower.Join();
        client.Dispose();
        server.Dispose();
    }

    [Fact]
    public void AConnectionThatIsDisposedWhenItsEndIsFoundHidesNoOther()
    {
        // A message comes as the leader falls asleep, before it arms; what it finds then is the end of another connection, which is disposed at once.
        const int Rounds = 500;
        using Listener listener = Listener.Open("hides", new ListenerOptions { WaitMode = WaitMode.Block });
        (Connection client, Connection server) = Pair(listener, "hides");
        listener.Return(server);
        int begun = 0, done = 0;
        Background leader = Run(() =>
        {
            for (int round = 1; round <= Rounds; round++)
            {
                Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
                Connection ends = next.Connection;
                ends.Accept();
                ends.Closed += (_, _) => ends.Dispose();
                listener.Return(ends);
                Read(); // so that it is looked at, and not left to its flag
                Volatile.Write(ref begun, round);
                Read();
                Volatile.Write(ref done, round);
            }
        });
        for (int round = 1; round <= Rounds; round++)
        {
            Connection ends = Connection.Connect("hides", new ConnectOptions { Deadline = Hang });
            Assert.True(client.Writer.TryWrite("first"u8));
            SpinUntil(ref begun, round);
            Thread.SpinWait(round % 100);
            Assert.True(client.Writer.TryWrite("second"u8));
            ends.Dispose();
            SpinUntil(ref done, round);
        }

        leader.Join();
        client.Dispose();
        server.Dispose();

        void Read()
        {
            Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
            Assert.Same(server, next.Connection);
            Assert.True(server.Reader.TryRead(out _));
            server.Reader.Release();
            listener.Return(server);
        }
    }

    [Fact]
    public void TwoThreadsInNextAreTold()
    {
        using Listener listener = Listener.Open("leader");
        Background leader = Run(() => Assert.Equal(IpcStatus.Stopped, listener.Next(out _, Deadline.Never)));
        leader.UntilAsleep();
        Assert.Throws<InvalidOperationException>(() => listener.Next(out _, Deadline.Now));
        listener.Stop();
        leader.Join();
        Assert.Equal(IpcStatus.Stopped, listener.Next(out _, Deadline.Never));
        listener.Resume();
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.Now));
    }

    [Fact]
    public void AServerThatEndsTellsItsClientsAndThoseThatWait()
    {
        Listener listener = Listener.Open("gone");
        (Connection client, Connection _) = Pair(listener, "gone");
        Background waiting = Run(() =>
        {
            Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out RingRecord _, Deadline.Never));
        });
        // Not refused: a caller would take that for a decision about it, and not ask the server's successor.
        Background turnedAway = Run(() => Assert.Equal(IpcStatus.PeerClosed, Assert.Throws<IpcException>(() => Connection.Connect("gone", new ConnectOptions { Deadline = Deadline.Never })).Status));
        Watchdog.Until(() => Regions.FilesOf("gone").Count == 2, "the request");
        turnedAway.UntilAsleep();
        listener.Dispose();
        waiting.Join();
        turnedAway.Join();
        Assert.Equal(CloseCode.Shutdown, client.PeerCloseCode);
        client.Dispose();
    }

    [Fact]
    public void DisposingAnEndClosesTheConnection()
    {
        using Listener listener = Listener.Open("end");
        (Connection client, Connection server) = Pair(listener, "end");
        client.Writer.Dispose();
        Assert.False(client.IsOpen);
        Assert.Equal(CloseCode.Normal, server.PeerCloseCode);
        server.Dispose();
    }

    [Fact]
    public void AnsweringTwiceIsMisuse()
    {
        using Listener listener = Listener.Open("twice");
        (Connection client, Connection server) = Pair(listener, "twice");
        Assert.Throws<InvalidOperationException>(server.Accept);
        Assert.Throws<InvalidOperationException>(() => server.Refuse("no"));
        Assert.Throws<InvalidOperationException>(client.Accept);
        client.Dispose();
        server.Dispose();
    }

    [Fact]
    public void ACorruptRingClosesItsConnectionAndNoOther()
    {
        using EchoServer server = new("bad");
        using Connection good = Connection.Connect("bad");
        using Connection bad = Connection.Connect("bad");
        unsafe
        {
            RingGeometry ring = bad.Writer.Geometry;
            Atomic.StoreRelease(ref *(ulong*)(bad.Writer.View.Base + ring.DataOffset), 0x1234);
        }

        ((IRingLink)bad).RelaySignal(); // "look at me"
        Assert.Equal(IpcStatus.PeerClosed, bad.Reader.Read(out _, Hang));
        Assert.Equal(CloseCode.Corrupt, bad.PeerCloseCode);
        Assert.Contains("1234", bad.PeerCloseText, StringComparison.Ordinal);
        Assert.Equal("still", EchoServer.Call(good, "still"));
    }

    [Fact]
    public void AThousandConnectionsOnOneThread()
    {
        using EchoServer server = new("many");
        List<Connection> connections = new();
        ConnectOptions small = new() { ToServerCapacity = 4096, ToClientCapacity = 4096, Deadline = Hang };
        for (int i = 0; i < 1000; i++)
            connections.Add(Own(Connection.Connect("many", small)));
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < connections.Count; i++)
                Assert.Equal($"number {i}", EchoServer.Call(connections[i], $"number {i}"));
        }

        Assert.Equal(1000, server.Listener.Count);
        server.Thread.UntilAsleep();
        TimeSpan before = server.Thread.ProcessorTime();
        Thread.Sleep(1000); // what is measured: a second of nothing
        Assert.InRange((server.Thread.ProcessorTime() - before).TotalMilliseconds, 0, 4);
        foreach (Connection connection in connections)
            connection.Dispose();
        Watchdog.Until(() => server.Listener.Count == 0, "every place to be free");
        Assert.All(server.Ended, ended => Assert.Equal(CloseCode.Normal, ended.Code));
    }

    [Fact]
    public void ADisposeStormEndsInClosed()
    {
        using EchoServer server = new("storm");
        for (int round = 0; round < 200; round++)
        {
            Connection connection = Connection.Connect("storm", new ConnectOptions { WaitMode = (WaitMode)(round % 3), ToServerCapacity = 4096, ToClientCapacity = 4096, Deadline = Hang });
            Background reading = Run(() =>
            {
                IpcStatus status;
                while ((status = connection.Reader.Read(out _, Deadline.Never)) == IpcStatus.Ok)
                    connection.Reader.Release();
                Assert.Equal(IpcStatus.Closed, status);
            });
            Background writing = Run(() =>
            {
                IpcStatus status;
                while ((status = connection.Writer.Write(new byte[100], 0, Deadline.Never)) == IpcStatus.Ok)
                {
                    // on and on
                }

                Assert.Equal(IpcStatus.Closed, status);
            });
            connection.Dispose();
            reading.Join();
            writing.Join();
        }

        Watchdog.Until(() => server.Listener.Count == 0, "every place to be free");
    }

    /// <summary>At once, not a millisecond later; but a machine with one processor has to run the other thread.</summary>
    private static void SpinUntil(ref int word, int value)
    {
        Deadline hang = Hang;
        for (int look = 1; Volatile.Read(ref word) < value; look++)
        {
            if (look % 10_000 != 0)
                continue;
            Assert.False(hang.HasPassed, "nothing happens after round " + (value - 1));
            Thread.Yield();
        }
    }

    /// <summary>A client and its server's side, accepted and lent.</summary>
    private static (Connection Client, Connection Server) Pair(Listener listener, string name)
    {
        Connection? client = null;
        Background connecting = Run(() => client = Connection.Connect(name, new ConnectOptions { Deadline = Hang }));
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
        Assert.Equal(ListenerEventKind.Connect, next.Kind);
        next.Connection.Accept();
        connecting.Join();
        return (client!, next.Connection);
    }
}
