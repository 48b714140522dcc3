using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>What a named connection promises between two programs it promises between two machines.</summary>
public sealed class NamedTests : TcpTest
{
    public NamedTests() => LeavesFiles = true; // a conversation stays, on both machines

    private TcpExit OpenExit(string address) => Own(TcpExit.OpenNamed("here", address, ExitOptions));

    private static NamedConnection Open(string client = "trader", NamedConnectionOptions? options = null) => NamedConnection.Open("here", client, options);

    private static long ReceiveOne(NamedConnection client, bool acknowledges = true)
    {
        Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
        long number = BinaryPrimitives.ReadInt64LittleEndian(message.Payload);
        Assert.Equal(message.Sequence, number);
        if (acknowledges)
            client.Acknowledge();
        return number;
    }

    [Fact]
    public void MessagesComeBackWithTheirNumbersAndAreAcknowledgedOnBothMachines()
    {
        using NamedServer server = new("there") { Reply = "welcome" };
        TcpEntrance entrance = OpenEntrance();
        OpenExit(AddressOf(entrance));
        using NamedConnection client = Open(options: new NamedConnectionOptions { Login = Text("secret") });
        client.Connect(Watchdog.Patience);
        Assert.Equal("welcome"u8, client.ReadReply());
        Random random = new(7);
        for (int i = 1; i <= 1000; i++)
        {
            byte[] bytes = NamedServer.Bytes(i, i % 100 == 0 ? random.Next(2_000_000) : i % 300);
            Assert.Equal(i, client.Send(bytes, (ushort)i));
            Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
            Assert.Equal(((long)i, (ushort)i, false), (message.Sequence, message.Type, message.Redelivered));
            Assert.True(message.Payload.SequenceEqual(bytes));
            client.Acknowledge();
        }

        Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
        Assert.Equal("login trader secret", server.LogNow()[0]);
        using NamedConnection there = OpenAtTheEntrance(entrance, "trader");
        Watchdog.Until(() => there.LastArrived == there.LastAcknowledged, "the acknowledgement there");
        Assert.Equal((1000, 1000, 0), (there.LastSent, there.LastAcknowledged, there.Unacknowledged));
    }

    /// <summary>Whoever has its place leaves first.</summary>
    private static NamedConnection OpenAtTheEntrance(TcpEntrance entrance, string client)
    {
        entrance.Dispose();
        NamedConnection? connection = null;
        Watchdog.Until(
            () =>
            {
                try
                {
                    connection = NamedConnection.Open("there", client);
                    return true;
                }
                catch (IpcException e) when (e.Status == IpcStatus.InUse)
                {
                    return false;
                }
            },
            "the entrance to leave");
        return connection!;
    }

    [Fact]
    public void MessagesWaitForTheOtherMachine()
    {
        using NamedConnection client = Open();
        for (int i = 1; i <= 10; i++)
            client.Send(NamedServer.Bytes(i));
        TcpEntrance entrance = OpenEntrance();
        OpenExit(AddressOf(entrance));
        Assert.NotEqual(IpcStatus.Ok, client.TryConnect(Deadline.After(TimeSpan.FromMilliseconds(300)))); // the other machine has no server
        using NamedServer server = new("there");
        for (int i = 1; i <= 10; i++)
            Assert.Equal(i, ReceiveOne(client));
    }

    /// <summary>Nothing was sent before it went: the other machine's side is empty, and has to stay all the same.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatWaitsForAServerThatIsAwayIsNotGivenUp(bool refuses)
    {
        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open();
        List<NamedConnectionChangedEventArgs> changes = [];
        client.Changed += (_, change) => changes.Add(change);
        using (NamedServer first = new("there"))
            client.Connect(Watchdog.Patience);
        Watchdog.Until(() => !client.IsConnected, "the end of the session");
        for (int i = 1; i <= 10; i++)
            client.Send(NamedServer.Bytes(i));
        NamedServer? unwilling = refuses ? new NamedServer("there", decide: static _ => "not today") : null;
        for (int i = 0; i < 3; i++)
        {
            try
            {
                Assert.NotEqual(IpcStatus.Ok, client.TryConnect(Deadline.After(TimeSpan.FromMilliseconds(300))));
            }
            catch (ConnectionRefusedException) when (refuses)
            {
            }
        }

        unwilling?.Dispose();
        using NamedServer server = new("there");
        for (int i = 1; i <= 10; i++)
        {
            Watchdog.Until(() => IsBack(client), "the server to let it in");
            Assert.Equal(i, ReceiveOne(client));
        }

        Assert.DoesNotContain(changes, static change => change.Change == NamedChange.Reset);
    }

    private static bool IsBack(NamedConnection client)
    {
        try
        {
            return client.IsConnected || client.TryConnect(Deadline.After(TimeSpan.FromSeconds(1))) == IpcStatus.Ok;
        }
        catch (ConnectionRefusedException)
        {
            return false; // a refusal of before may be kept for a while
        }
    }

    [Fact]
    public void ARefusalComesWithItsWords()
    {
        using NamedServer server = new("there") { Decide = static _ => "not you" };
        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open();
        Assert.Equal("not you", Assert.Throws<ConnectionRefusedException>(() => client.Connect(Watchdog.Patience)).Message);
        server.Decide = static _ => null;
        client.Connect(Watchdog.Patience);
    }

    [Fact]
    public void ASecondClientOfThatNameIsRefusedWhereverItIs()
    {
        using NamedServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        OpenExit(AddressOf(entrance));
        using NamedConnection client = Open();
        client.Connect(Watchdog.Patience);
        Own(TcpExit.OpenNamed("elsewhere", AddressOf(entrance), ExitOptions));
        using NamedConnection other = NamedConnection.Open("elsewhere", "trader");
        Assert.Contains("logged in", Assert.Throws<ConnectionRefusedException>(() => other.Connect(Watchdog.Patience)).Message, StringComparison.Ordinal);
        Assert.Equal(1, client.Send(NamedServer.Bytes(1)));
        Assert.Equal(1, ReceiveOne(client));
    }

    [Fact]
    public void AnotherIdentityThereBeginsAnewHere()
    {
        TcpEntrance entrance = OpenEntrance();
        OpenExit(AddressOf(entrance));
        using NamedConnection client = Open();
        List<NamedConnectionChangedEventArgs> changes = [];
        client.Changed += (_, change) => changes.Add(change);
        using (NamedServer monday = new("there", new NamedListenerOptions { Identity = "monday" }))
        {
            client.Send(NamedServer.Bytes(1));
            Assert.Equal(1, ReceiveOne(client));
            Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
        }

        Watchdog.Until(() => !client.IsConnected, "the end of the session");
        client.Send(NamedServer.Bytes(2));
        using NamedServer tuesday = new("there", new NamedListenerOptions { Identity = "tuesday" });
        client.Connect(Watchdog.Patience);
        NamedConnectionChangedEventArgs reset = Assert.Single(changes, static change => change.Change == NamedChange.Reset);
        Assert.Equal(("tuesday", 1, 0), (reset.NewIdentity, reset.LostSent, reset.LostReceived));
        Assert.Equal(1, client.Send(NamedServer.Bytes(1)));
        Assert.Equal(1, ReceiveOne(client));
        Assert.Equal(["trader 1"], tuesday.LogNow().Where(static line => line.StartsWith("trader", StringComparison.Ordinal)));
    }

    [Fact]
    public void AConversationThatIsGoneOnOneMachineBeginsAnewAndSaysSo()
    {
        TcpEntrance entrance = OpenEntrance();
        TcpExit exit = OpenExit(AddressOf(entrance));
        NamedServer server = new("there");
        NamedConnection client = Open();
        client.Send(NamedServer.Bytes(1));
        Assert.Equal(1, ReceiveOne(client));
        Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
        client.Dispose(); // the client's machine loses it
        Watchdog.Until(() => entrance.Count == 0, "the way to end");
        Watchdog.Until(() => TryRemove("here"), "the exit to leave");
        client = Open();
        Assert.Equal(1, client.Send(NamedServer.Bytes(1)));
        Assert.Equal(1, ReceiveOne(client));
        Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
        server.Dispose();
        Watchdog.Until(() => entrance.Count == 0 && !client.IsConnected, "the way to end");
        Watchdog.Until(() => TryRemove("there"), "the entrance to leave"); // and now the server's
        client.Send(NamedServer.Bytes(2)); // into the former one: nobody is there yet
        List<NamedConnectionChangedEventArgs> changes = [];
        client.Changed += (_, change) => changes.Add(change);
        using NamedServer next = new("there");
        client.Connect(Watchdog.Patience);
        NamedConnectionChangedEventArgs reset = Assert.Single(changes, static change => change.Change == NamedChange.Reset);
        Assert.Equal(1, reset.LostSent);
        Assert.Equal(1, client.Send(NamedServer.Bytes(1)));
        Assert.Equal(1, ReceiveOne(client));
        client.Dispose();
    }

    /// <summary>Also what it has sent before that, and the other machine has acknowledged: it is the server's.</summary>
    [Fact]
    public void WhatTheOtherMachineHasComesAlsoWhenTheClientsMachineLosesItsSide()
    {
        TcpEntrance entrance = OpenEntrance();
        TcpExit exit = OpenExit(AddressOf(entrance));
        NamedConnection client = Open();
        using (NamedListener asleep = NamedListener.Open("there", new NamedListenerOptions()))
        {
            Background logsIn = Run(() => client.Connect(Watchdog.Patience));
            Assert.Equal(IpcStatus.Ok, asleep.Next(out NamedEvent login, Hang));
            login.Connection.Accept();
            logsIn.Join();
            for (int i = 1; i <= 100; i++)
                client.Send(NamedServer.Bytes(i));
            Watchdog.Until(() => { client.TryReceive(out _); return client.Unacknowledged == 0; }, "the acknowledgement");
        }

        client.Dispose();
        Watchdog.Until(() => entrance.Count == 0, "the way to end");
        Watchdog.Until(() => TryRemove("here"), "the exit to leave");
        using NamedConnection next = Open();
        next.Send(NamedServer.Bytes(1));
        using NamedServer server = new("there") { Answers = false };
        Watchdog.Until(() => { next.TryConnect(Deadline.FromMilliseconds(10)); return next.IsConnected && next.Unacknowledged == 0; }, "the server to be reached");
        Watchdog.Until(() => server.LogNow().Count(static line => line.StartsWith("trader", StringComparison.Ordinal)) == 101, "all messages");
        Assert.Equal([.. Enumerable.Range(1, 100).Select(static i => $"trader {i}"), "trader 1"], server.LogNow().Where(static line => line.StartsWith("trader", StringComparison.Ordinal)).Select(static line => line.Replace(" again", "", StringComparison.Ordinal)));
    }

    /// <summary>The server does not read while it waits for room for its answers, and these are larger than what is asked.</summary>
    [Theory]
    [InlineData(64, 3_000, 8 << 20)]
    [InlineData(64, 3_000, 0)]
    [InlineData(3_000, 64, 0)]
    [InlineData(200_000, 200_000, 8 << 20)]
    public void AFloodInBothDirectionsDoesNotStandStill(int asked, int answered, int pool)
    {
        EntranceOptions.NamedConnections = new NamedConnectionOptions { LoanBudget = pool };
        int count = asked + answered > 100_000 ? 400 : 12_000;
        using NamedListener listener = NamedListener.Open("there", new NamedListenerOptions());
        Background serving = Run(() =>
        {
            byte[] answer = new byte[answered];
            for (int left = count; left > 0;)
            {
                Assert.Equal(IpcStatus.Ok, listener.Next(out NamedEvent next, Hang));
                if (next.Kind == NamedEventKind.Login)
                    next.Connection.Accept();
                if (next.Kind != NamedEventKind.Readable)
                    continue;
                for (; next.Connection.TryReceive(out _); left--)
                {
                    Assert.NotEqual(0, next.Connection.Send(answer, 0, Watchdog.Patience));
                    next.Connection.Acknowledge();
                }

                listener.Return(next.Connection);
            }
        });
        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open(options: new NamedConnectionOptions { LoanBudget = pool });
        client.Connect(Watchdog.Patience);
        Background asking = Run(() =>
        {
            byte[] question = new byte[asked];
            for (int i = 1; i <= count; i++)
                Assert.Equal(i, client.Send(question, 0, Watchdog.Patience));
        });
        for (int i = 1; i <= count; i++)
        {
            Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
            Assert.Equal((i, answered), (message.Sequence, message.Payload.Length));
            client.Acknowledge();
        }

        asking.Join();
        serving.Join();
    }

    /// <summary>It comes again as long as the client has it; each time ends in the same way.</summary>
    [Fact]
    public void AMessageThatTheOtherMachineDoesNotTakeMakesNoStormOfLogins()
    {
        EntranceOptions.MaxMessage = 1000;
        using NamedServer server = new("there");
        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open();
        client.Send(new byte[2000]);
        int Logins() => server.LogNow().Count(static line => line.StartsWith("login", StringComparison.Ordinal));
        Watchdog.Until(() => { _ = client.Receive(out _, Deadline.FromMilliseconds(10)); return Logins() > 0; }, "the first login");
        for (long end = Environment.TickCount64 + 2000; Environment.TickCount64 < end;)
            _ = client.Receive(out _, Deadline.FromMilliseconds(100));
        Assert.InRange(Logins(), 1, 12);
    }

    /// <summary>It takes the conversation before its client is back, and the entrance may not even see that nobody had it.</summary>
    [Fact]
    public void ASuccessorThatTakesTheConversationAtOnceGetsALogin()
    {
        NamedServer server = new("there");
        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open();
        for (int round = 1; round <= 5; round++)
        {
            client.Connect(Watchdog.Patience);
            client.Send(NamedServer.Bytes(round));
            Assert.Equal(round, ReceiveOne(client));
            server.Dispose();
            server = new NamedServer("there");
            Assert.True(server.Listener.TryOpen("trader", out _));
            Watchdog.Until(() => { _ = client.Receive(out _, Deadline.FromMilliseconds(10)); return server.LogNow().Any(static line => line.StartsWith("login", StringComparison.Ordinal)); }, "the login");
        }

        server.Dispose();
    }

    private static bool TryRemove(string server)
    {
        try
        {
            return NamedConnection.Remove(server, "trader");
        }
        catch (IpcException e) when (e.Status == IpcStatus.InUse)
        {
            return false;
        }
    }

    [Fact]
    public void ALocalClientsConversationIsNotAnotherMachines()
    {
        using NamedServer server = new("there");
        using (NamedConnection local = NamedConnection.Open("there", "trader"))
        {
            local.Send(NamedServer.Bytes(1));
            Assert.Equal(1, ReceiveOne(local));
        }

        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open();
        Assert.Contains("of that machine", Assert.Throws<ConnectionRefusedException>(() => client.Connect(Watchdog.Patience)).Message, StringComparison.Ordinal);
    }

    /// <summary>The network breaks after random numbers of bytes, in the middle of frames, of greetings, in both directions.</summary>
    [Theory]
    [InlineData(1, 2_000)]
    [InlineData(2, 20_000)]
    [InlineData(3, 300_000)]
    public void NothingIsLostOrComesTwiceHoweverOftenTheNetworkBreaks(int seed, int longest)
    {
        const int ways = 12;
        using NamedServer server = new("there") { Answers = true };
        BadNetwork network = OpenNetwork(OpenEntrance());
        OpenExit(AddressOf(network));
        using NamedConnection client = Open();
        bool over = false;
        int sent = 0, received = 0;
        Background cutting = Run(() =>
        {
            Random random = new(seed);
            for (int cut = 0; cut < ways; cut++)
            {
                int before = Volatile.Read(ref received);
                Watchdog.Until(() => Volatile.Read(ref received) > before + 20, "messages to get through"); // else it is no network at all
                int connections = network.Connections;
                if (random.Next(3) == 0)
                    network.Cut();
                else
                    network.CutAfter(random.Next(1, longest));
                Watchdog.Until(() => network.Connections > connections, "the next way");
            }

            Volatile.Write(ref over, true);
        });
        Background sending = Run(() =>
        {
            while (!Volatile.Read(ref over))
            {
                if (client.Unacknowledged > 2000)
                    Thread.Sleep(1);
                Assert.Equal(sent + 1, client.Send(NamedServer.Bytes(sent + 1, sent % 200), 3, Watchdog.Patience));
                Volatile.Write(ref sent, sent + 1);
            }
        });
        Stopwatch progress = Stopwatch.StartNew();
        while (!Volatile.Read(ref over) || received < Volatile.Read(ref sent))
        {
            IpcStatus status = client.Receive(out NamedMessage message, Deadline.After(TimeSpan.FromMilliseconds(50)));
            if (status == IpcStatus.Timeout)
            {
                Assert.True(progress.Elapsed < Watchdog.Patience, $"nothing came: {received} of {sent}, {client.Unacknowledged} not acknowledged, {(client.IsConnected ? "connected" : "not connected")}, {network.Connections} ways, over {over}, server {server.LogNow().Length}: {server.LogNow().LastOrDefault()}");
                continue;
            }

            progress.Restart();
            Assert.Equal(IpcStatus.Ok, status);
            Volatile.Write(ref received, received + 1);
            Assert.Equal((received, received), (message.Sequence, BinaryPrimitives.ReadInt64LittleEndian(message.Payload))); // its number, and what was sent by that
            client.Acknowledge();
        }

        sending.Join();
        cutting.Join();
        Watchdog.Until(() => { client.TryConnect(Deadline.FromMilliseconds(20)); return client.Unacknowledged == 0; }, "the acknowledgement"); // all is received also without a session
        Assert.Equal(Enumerable.Range(1, sent).Select(static i => $"trader {i}"), server.LogNow().Where(static line => !line.StartsWith("log", StringComparison.Ordinal)));
    }

    [Fact]
    public void AHalfOpenConnectionIsTakenOverByTheSameClientAtOnce()
    {
        using NamedServer server = new("there");
        EntranceOptions.Alive = TimeSpan.FromHours(1); // the entrance would believe in it for ever
        ExitOptions.Alive = TimeSpan.FromHours(1);
        TcpEntrance entrance = OpenEntrance();
        BadNetwork network = OpenNetwork(entrance);
        TcpExit exit = OpenExit(AddressOf(network));
        using NamedConnection client = Open();
        client.Send(NamedServer.Bytes(1));
        Assert.Equal(1, ReceiveOne(client));
        network.Hold();
        exit.Dispose(); // its words do not get there
        OpenExit(AddressOf(entrance)); // by another way
        client.Send(NamedServer.Bytes(2));
        Assert.Equal(2, ReceiveOne(client));
    }

    [Fact]
    public void ASenderWithRoomDoesNotWaitForANetworkThatDoesNotAnswer()
    {
        using NamedServer server = new("there");
        BadNetwork network = OpenNetwork(OpenEntrance());
        network.Hold();
        OpenExit(AddressOf(network));
        using NamedConnection client = Open();
        TimeSpan inSend = TimeSpan.Zero;
        for (int i = 1; i <= 200; i++)
        {
            long begin = Stopwatch.GetTimestamp();
            client.Send(NamedServer.Bytes(i));
            inSend += Stopwatch.GetElapsedTime(begin);
            Thread.Sleep(10);
        }

        Assert.InRange(inSend, TimeSpan.Zero, TimeSpan.FromSeconds(4)); // one login that waits for the network takes 5
        network.LetGo();
        for (int i = 1; i <= 200; i++)
            Assert.Equal(i, ReceiveOne(client));
    }

    [Fact]
    public void ExitAndEntranceMayBeStartedAnew()
    {
        using NamedServer server = new("there");
        using NamedConnection client = Open();
        int sent = 0, received = 0;
        for (int round = 0; round < 10; round++)
        {
            using TcpEntrance entrance = TcpEntrance.Open(EntranceOptions);
            using TcpExit exit = TcpExit.OpenNamed("here", AddressOf(entrance), ExitOptions);
            for (int i = 0; i < 50; i++)
                client.Send(NamedServer.Bytes(++sent));
            for (int i = 0; i < 45; i++)
                Assert.Equal(++received, ReceiveOne(client, acknowledges: i % 3 == 0));
            client.Acknowledge();
        }

        using TcpEntrance last = TcpEntrance.Open(EntranceOptions);
        using TcpExit lastExit = TcpExit.OpenNamed("here", AddressOf(last), ExitOptions);
        while (received < sent)
            Assert.Equal(++received, ReceiveOne(client));
    }

    [Fact]
    public void TheServersEndComesWithItsReason()
    {
        NamedServer server = new("there");
        OpenExit(AddressOf(OpenEntrance()));
        using NamedConnection client = Open();
        NamedConnectionChangedEventArgs? ended = null;
        client.Changed += (_, change) => ended = change.Change == NamedChange.Disconnected ? change : ended;
        client.Connect(Watchdog.Patience);
        server.Listener.Close("closing time");
        Assert.Equal(IpcStatus.Timeout, client.Receive(out _, Deadline.After(TimeSpan.FromSeconds(1))));
        Assert.Equal((CloseCode.Shutdown, "closing time"), (ended!.Code, ended.Text));
        server.Thread.Join();
    }
}
