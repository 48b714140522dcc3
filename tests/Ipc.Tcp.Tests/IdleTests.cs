using System;
using System.Diagnostics;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>An entrance that ends what nobody uses.</summary>
public sealed class IdleTests : TcpTest
{
    public IdleTests()
    {
        ExitOptions.Alive = EntranceOptions.Alive = TimeSpan.FromMilliseconds(300);
        EntranceOptions.IdleTimeout = TimeSpan.FromMilliseconds(500);
    }

    [Fact]
    public void AConnectionThatNobodyUsesEndsAndSaysWhy()
    {
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        Assert.Equal("hi", Echo(client, "hi"));
        Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out _, Hang));
        Assert.Equal((CloseCode.Shutdown, "Nothing was sent in either direction for 0.5 s."), (client.PeerCloseCode, client.PeerCloseText));
        Watchdog.Until(() => server.Ended.Count == 1 && entrance.Count == 0, "the server to be told");
        Assert.Equal(CloseCode.Shutdown, server.Ended[0].Code);
        using Connection again = Connect();
        Assert.Equal("hi", Echo(again, "hi"));
    }

    /// <summary>By either side: one that only hears is used, too.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AConnectionOnWhichSomethingGoesStays(bool byTheServer)
    {
        EntranceOptions.IdleTimeout = TimeSpan.FromSeconds(2);
        using Listener server = Listener.Open("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        (Connection client, Connection there) = ConnectTo(server);
        (Connection from, Connection to) = byTheServer ? (there, client) : (client, there);
        for (long until = Environment.TickCount64 + 5000; Environment.TickCount64 < until; Thread.Sleep(100))
        {
            Assert.Equal(IpcStatus.Ok, from.Writer.Write("hi"u8, 1, Hang));
            Assert.Equal(IpcStatus.Ok, to.Reader.Read(out _, Hang));
            to.Reader.Release();
        }

        Assert.Equal(1, entrance.Count);
    }

    private (Connection Client, Connection There) ConnectTo(Listener server)
    {
        Connection? client = null;
        Background connecting = Run(() => client = Own(Connect()));
        Assert.Equal(IpcStatus.Ok, server.Next(out ListenerEvent asked, Hang));
        asked.Connection.Accept();
        connecting.Join();
        return (client!, Own(asked.Connection));
    }

    [Fact]
    public void CallsFindTheirWayAgain()
    {
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(new Ledger()));
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(i + 1, LedgerRpc.Client(client).Add("x")); // which is not repeated
            Watchdog.Until(() => entrance.Count == 0, "the idle connection to end");
        }
    }

    /// <summary>Calls come just when the way is ended: none of them is lost, and none is made twice.</summary>
    [Fact]
    public void ACallThatMeetsTheEndIsMadeOnce()
    {
        EntranceOptions.IdleTimeout = TimeSpan.FromMilliseconds(20); // at the next sign of life
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(new Ledger()));
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using RpcClient client = RpcClient.Create("here", new RpcClientOptions { WaitForReady = true });
        Random random = new(3);
        for (int i = 0; i < 40; i++)
        {
            Assert.Equal(i + 1, LedgerRpc.Client(client).Add("x"));
            Thread.Sleep(random.Next(200, 300));
        }

        Assert.True(network.Connections > 3, $"{network.Connections} ways");
    }

    [Fact]
    public void ACallThatRunsForAsLongEndsAsOneOfWhichNothingIsKnown()
    {
        Ledger ledger = new();
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(ledger));
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        ledger.Goes.Reset();
        RpcCallException error = Assert.Throws<RpcCallException>(() => LedgerRpc.Client(client).Add("x"));
        ledger.Goes.Set();
        Assert.Equal((RpcStatus.Unavailable, false), (error.Status, error.IsUnsent));
        Assert.Equal(2, LedgerRpc.Client(client).Add("x"));
    }

    [Fact]
    public void ACallThatIsExecutedOnceIsAskedForAgain()
    {
        Ledger ledger = new();
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(ledger));
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        ledger.Goes.Reset();
        Background books = Run(() => Assert.Equal(1, LedgerRpc.Client(client).Book("x")));
        Watchdog.Until(() => network.Connections >= 3, "it to be asked for twice more");
        ledger.Goes.Set();
        books.Join();
        Assert.Equal(2, LedgerRpc.Client(client).Add("x"));
    }

    [Fact]
    public void ANamedConnectionComesBackWithItsNextMessageAndLosesNothing()
    {
        LeavesFiles = true; // conversations
        using NamedServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.OpenNamed("here", AddressOf(entrance), ExitOptions));
        using NamedConnection client = NamedConnection.Open("here", "trader");
        NamedConnectionChangedEventArgs? ended = null;
        client.Changed += (_, change) => ended = change.Change == NamedChange.Disconnected ? change : ended;
        for (int i = 1; i <= 3; i++)
        {
            Assert.Equal(i, client.Send(NamedServer.Bytes(i)));
            Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
            Assert.Equal(i, message.Sequence);
            client.Acknowledge();
            Watchdog.Until(() => entrance.Count == 0, "the idle connection to end");
        }

        Assert.Equal((CloseCode.Shutdown, "Nothing was sent in either direction for 0.5 s."), (ended!.Code, ended.Text));
        Watchdog.Until(() => { client.TryConnect(Deadline.FromMilliseconds(50)); return client.Unacknowledged == 0; }, "the acknowledgement");
        Assert.Equal(["trader 1", "trader 2", "trader 3"], Array.FindAll(server.LogNow(), static line => line.StartsWith("trader", StringComparison.Ordinal)));
    }

    /// <summary>A client that sends and forgets: what has no room at the server yet is not dropped, and what has is taken in the same session.</summary>
    [Theory]
    [InlineData(20)] // more than the entrance keeps
    [InlineData(8)]  // more than the ring
    [InlineData(3)]
    public void WhatAServerTakesLateIsUse(int messages)
    {
        LeavesFiles = true;
        EntranceOptions.NamedConnections = new NamedConnectionOptions { ToServerCapacity = 4096, LoanBudget = 0 }; // for four of them
        using NamedListener server = NamedListener.Open("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.OpenNamed("here", AddressOf(entrance), ExitOptions));
        using NamedConnection client = NamedConnection.Open("here", "trader");
        Background connecting = Run(() => client.Connect(Watchdog.Patience));
        Assert.Equal(IpcStatus.Ok, server.Next(out NamedEvent next, Hang));
        NamedConnection there = next.Connection;
        there.Accept();
        connecting.Join();
        for (int i = 1; i <= messages; i++)
            client.Send(NamedServer.Bytes(i, 700));
        Thread.Sleep(2000);
        Assert.Equal(1, entrance.Count);
        long last = 0;
        while (last < messages)
        {
            Assert.Equal((IpcStatus.Ok, NamedEventKind.Readable), (server.Next(out next, Hang), next.Kind));
            while (there.TryReceive(out NamedMessage message))
                last = message.Sequence;
            there.Acknowledge();
            server.Return(there);
        }

        Assert.Equal(IpcStatus.Ok, server.Next(out next, Hang)); // then it is idle
        Assert.Equal((NamedEventKind.Logout, CloseCode.Shutdown), (next.Kind, next.Code));
        Watchdog.Until(() => client.Unacknowledged == 0, "the acknowledgement");
    }

    [Fact]
    public void RecordsThatAServerTakesLateAreUse()
    {
        using Listener server = Listener.Open("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        (Connection client, Connection there) = ConnectTo(server);
        Assert.Equal(IpcStatus.Ok, client.Writer.Write("hi"u8, 1, Hang));
        Thread.Sleep(2000);
        Assert.Equal(IpcStatus.Ok, there.Reader.Read(out _, Hang));
        there.Reader.Release();
        Assert.Equal(CloseCode.None, there.PeerCloseCode);
        Assert.Equal(IpcStatus.Ok, there.Writer.Write("ho"u8, 1, Hang));
        Assert.Equal(IpcStatus.Ok, client.Reader.Read(out _, Hang));
        client.Reader.Release();
        Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out _, Hang)); // then it is idle
        Assert.Equal(CloseCode.Shutdown, client.PeerCloseCode);
    }

    /// <summary>Nothing goes while a server thinks about a login: that is no reason to end it, each time anew.</summary>
    [Fact]
    public void ALoginThatTakesLongerIsNotEnded()
    {
        LeavesFiles = true;
        using NamedServer server = new("there") { Decide = static _ => Late(TimeSpan.FromSeconds(2)) };
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.OpenNamed("here", AddressOf(network), ExitOptions));
        using NamedConnection client = NamedConnection.Open("here", "trader");
        client.Connect(Watchdog.Patience);
        Assert.Equal(1, network.Connections);

        static string? Late(TimeSpan delay)
        {
            Thread.Sleep(delay);
            return null;
        }
    }

    /// <summary>It was told to come again, and has as long for it as without the timeout: also when a message of its server, and the exit's word that it came,
    /// cross the way meanwhile.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AClientThatHasNotWaitedForTheServersAnswerFindsItWhenItComesAgain(bool theServerSends)
    {
        LeavesFiles = true;
        using NamedServer server = new("there") { Decide = connection => Sends(connection, theServerSends) };
        BadNetwork network = OpenNetwork(OpenEntrance());
        network.HoldAnswers();
        Own(TcpExit.OpenNamed("here", AddressOf(network), ExitOptions));
        using NamedConnection client = NamedConnection.Open("here", "trader");
        Assert.NotEqual(IpcStatus.Ok, client.TryConnect(Deadline.FromMilliseconds(100)));
        network.LetGo();
        Thread.Sleep(2500); // several times what an idle connection is borne
        Assert.Equal(IpcStatus.Ok, client.TryConnect(Hang));
        Assert.Equal(1, network.Connections);
        if (theServerSends)
            Assert.Equal(IpcStatus.Ok, client.Receive(out _, Hang));

        static string? Sends(NamedConnection connection, bool sends)
        {
            if (sends)
                connection.Send(NamedServer.Bytes(1));
            return null;
        }
    }

    /// <summary>It has come, so it needs no time to.</summary>
    [Fact]
    public void AClientThatHasSentHasNoMoreTimeThanTheLimit()
    {
        LeavesFiles = true;
        using NamedServer server = new("there") { Answers = false };
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.OpenNamed("here", AddressOf(entrance), ExitOptions));
        using NamedConnection client = NamedConnection.Open("here", "trader");
        client.Connect(Watchdog.Patience);
        Stopwatch since = Stopwatch.StartNew();
        client.Send(NamedServer.Bytes(1));
        Watchdog.Until(() => entrance.Count == 0, "the idle connection to end");
        Assert.True(since.ElapsedMilliseconds < 9000, $"after {since.ElapsedMilliseconds} ms"); // 10,500 without a message
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(9)]
    [InlineData(25L * 24 * 3600 * 1000)]
    public void AnIdleTimeoutHasARange(long milliseconds)
    {
        EntranceOptions.IdleTimeout = TimeSpan.FromMilliseconds(milliseconds);
        Assert.Throws<ArgumentException>(OpenEntrance);
    }

    private sealed class Ledger : ILedger
    {
        private int _count;

        public int Read(string what) => _count;

        public ManualResetEventSlim Goes { get; } = new(true);

        public int Add(string what)
        {
            int count = Interlocked.Increment(ref _count);
            Goes.Wait();
            return count;
        }

        public int Book(string what) => Add(what);
    }
}
