using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The peer is a process of its own and dies by SIGKILL.</summary>
public sealed class DeathTests : RegionTest
{
    private Driven Peer(params string[] verb) => Own(Driven.StartVerb(Language.CSharp, Regions, verb));

    private Driven Ready(params string[] verb)
    {
        Driven peer = Peer(verb);
        Assert.Equal("ready", peer.NextLine());
        return peer;
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Spin)]
    [InlineData(WaitMode.Block)]
    public void AWaitingReaderLearnsThatTheWriterDied(WaitMode mode)
    {
        using RingReader reader = RingReader.Open("ring", Small(wait: mode));
        Driven writer = Ready("ring-hold", "ring", "writer");
        Background waiting = Run(() => Assert.Equal(IpcStatus.PeerDied, reader.Read(out _, Deadline.Never)));
        if (mode == WaitMode.Block)
            waiting.UntilAsleep();
        writer.Kill();
        waiting.Join();
        Assert.Equal(PeerState.Died, reader.Peer);
        using RingWriter next = RingWriter.Open("ring"); // the place is free at once
        Assert.True(next.TryWrite("on"u8));
        Assert.Equal(IpcStatus.Ok, reader.Read(out _, Hang));
    }

    [Fact]
    public void AReaderThatSleptBeforeTheWriterCameLearnsOfItsDeath()
    {
        using RingReader reader = RingReader.Open("ring", Small(wait: WaitMode.Block));
        Background waiting = Run(() => Assert.Equal(IpcStatus.PeerDied, reader.Read(out _, Deadline.Never)));
        waiting.UntilAsleep();
        Ready("ring-hold", "ring", "writer").Kill();
        waiting.Join();
    }

    [Fact]
    public void AStoppedWriterIsAlive()
    {
        using RingReader reader = RingReader.Open("ring", Small());
        Driven writer = Ready("ring-hold", "ring", "writer");
        writer.Stop();
        Assert.Equal(IpcStatus.Timeout, reader.Read(out _, Deadline.FromMilliseconds(700)));
        Assert.Equal(PeerState.Live, reader.Peer);
        Fails(IpcStatus.InUse, () => RingWriter.Open("ring"));
        writer.Kill();
        RingWriter.Open("ring").Dispose();
    }

    [Fact]
    public void WhatADeadReaderHadNotReleasedComesAgainFlagged()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        Driven dead = Ready("ring-hold", "ring", "reader");
        for (ushort i = 0; i < 4; i++)
            Assert.True(writer.TryWrite(new byte[8], i));
        dead.Kill();
        using RingReader reader = RingReader.Open("ring");
        Assert.True(writer.TryWrite(new byte[8], 4));
        for (int i = 0; i < 5; i++)
        {
            Assert.True(reader.TryRead(out RingRecord record));
            Assert.Equal(i, record.Type);
            Assert.Equal(i < 4, record.Redelivered);
        }
    }

    [Fact]
    public void EventsTellWhoCameAndWhoDied()
    {
        using RingReader reader = RingReader.Open("ring", Small());
        List<PeerChangedEventArgs> seen = new();
        reader.PeerChanged += (_, change) =>
        {
            lock (seen)
                seen.Add(change);
            throw new InvalidOperationException("a handler's failure goes no further");
        };
        int Count()
        {
            lock (seen)
                return seen.Count;
        }

        Driven first = Ready("ring-hold", "ring", "writer");
        Watchdog.Until(() => Count() == 1, "the first to come");
        first.Kill();
        Watchdog.Until(() => Count() == 2, "the first to die");
        using (RingWriter second = RingWriter.Open("ring"))
            Watchdog.Until(() => Count() == 3, "the second to come");
        Watchdog.Until(() => Count() == 4, "the second to leave");
        Assert.Equal([PeerState.Live, PeerState.Died, PeerState.Live, PeerState.Left], seen.Select(change => change.State));
        Assert.Equal(first.ProcessId, seen[0].ProcessId);
        Assert.Equal(first.ProcessId, seen[1].ProcessId);
        Assert.Equal(Environment.ProcessId, seen[2].ProcessId);
    }

    /// <summary>Its end still says that it lives and names nobody any more, as between two looks of a thread: it was told of as
    /// another that had come, process 0.</summary>
    [Fact]
    public void WhoLeavesIsNotTakenForOneThatComes()
    {
        using RingReader reader = RingReader.Open("ring", Small());
        List<PeerChangedEventArgs> seen = new();
        using SemaphoreSlim told = new(0);
        reader.PeerChanged += (_, change) =>
        {
            seen.Add(change);
            told.Release();
        };
        using LiveRegion bytes = Look("ring");
        using (RingWriter writer = RingWriter.Open("ring"))
        {
            Assert.True(told.Wait(Watchdog.Patience));
            long owner = bytes.Body + Wire.Ring.Writer;
            uint index = bytes[owner];
            Assert.True(bytes.Swap(owner, index, 0));
            for (int i = 0; i < 20; i++) // it looks at each, and sleeps again
            {
                bytes.Signal(Wire.Region.Change);
                Watchdog.Until(() => (bytes[Wire.Region.Change] & 1) != 0, "the thread to sleep");
            }

            Assert.True(bytes.Swap(owner, 0, index));
        }

        Assert.True(told.Wait(Watchdog.Patience));
        Assert.Equal([PeerState.Live, PeerState.Left], seen.Select(change => change.State));
        Assert.All(seen, change => Assert.Equal(Environment.ProcessId, change.ProcessId));
    }

    [Fact]
    public void AClientLearnsThatItsServerDiedAndTheNextServerReplacesIt()
    {
        Driven server = Ready("listen", "echo");
        using Connection connection = Connection.Connect("echo");
        Assert.Equal("hi", EchoServer.Call(connection, "hi"));
        using ManualResetEventSlim closed = new();
        ConnectionClosedEventArgs? how = null;
        connection.Closed += (_, e) =>
        {
            how = e;
            closed.Set();
        };
        Background waiting = Run(() => Assert.Equal(IpcStatus.PeerDied, connection.Reader.Read(out _, Deadline.Never)));
        server.Kill();
        waiting.Join();
        Assert.True(closed.Wait(Watchdog.Patience));
        Assert.Equal(IpcStatus.PeerDied, how!.Reason);
        Assert.Equal(server.ProcessId, how.ProcessId);
        Assert.False(connection.IsOpen);
        Assert.Equal(CloseCode.None, connection.PeerCloseCode);
        Fails(IpcStatus.NotFound, () => Connection.Connect("echo"));

        using EchoServer next = new("echo");
        using Connection again = Connection.Connect("echo");
        Assert.Equal("back", EchoServer.Call(again, "back"));
    }

    [Fact]
    public void AServerLearnsThatItsClientDied()
    {
        using EchoServer server = new("echo");
        for (int i = 0; i < 3; i++)
        {
            Driven client = Peer("connect", "echo", "1000000000", "64");
            Watchdog.Until(() => server.Listener.Count == 1, "the client");
            client.Kill();
            Watchdog.Until(() => server.Listener.Count == 0, "its death to be noticed");
        }

        Assert.All(server.Ended, ended => Assert.Equal(CloseCode.None, ended.Code));
        Assert.Equal(["echo"], Regions.FilesOf("echo"));
    }

    [Theory]
    [InlineData("connect.slot_opening", false)]
    [InlineData("connect.region_linked", false)]
    [InlineData("connect.requested", false)]
    [InlineData("connect.slot_opening", true)]
    [InlineData("connect.region_linked", true)]
    [InlineData("connect.requested", true)]
    public void AClientThatDiesWhileAskingLeavesNothing(string point, bool serverGoes)
    {
        using Listener listener = Listener.Open("asked");
        Environment.SetEnvironmentVariable("IPC_FAULT", point);
        Driven client;
        try
        {
            client = Peer("connect", "asked", "1", "8", "--timeout", "60000");
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_FAULT", null);
        }

        Assert.Equal(128 + 9, client.WaitForExit());
        if (serverGoes)
        {
            listener.Dispose();
            Assert.Empty(Regions.FilesOf("asked"));
            return;
        }

        Fails(IpcStatus.Timeout, () => Connection.Connect("asked", new ConnectOptions { Deadline = Deadline.FromMilliseconds(100) }));
        Assert.Equal(["asked"], Regions.FilesOf("asked"));
    }

    [Fact]
    public void WithoutMembarrierNothingIsLostEither()
    {
        using RingReader reader = RingReader.Open("ring", Small(wait: WaitMode.Block));
        Environment.SetEnvironmentVariable("IPC_NO_MEMBARRIER", "1");
        try
        {
            Driven writer = Peer("ring-write", "ring", "20000", "random", "3", "--wait", "block");
            for (int i = 0; i < 20000; i++)
            {
                Assert.Equal(IpcStatus.Ok, reader.Read(out RingRecord record, Hang));
                Assert.Equal((ushort)i, record.Type);
                reader.Release();
            }

            Assert.Equal(0, writer.WaitForExit());
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_NO_MEMBARRIER", null);
        }
    }
}
