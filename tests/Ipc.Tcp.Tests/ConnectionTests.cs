using System;
using System.Linq;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

public sealed class ConnectionTests : TcpTest
{
    [Fact]
    public void RecordsOfAllSizesComeBackAsTheyWere()
    {
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        Random random = new(5);
        foreach (int length in new[] { 0, 1, 7, 8, 4000, 65_527, 65_528, 65_529, 131_072, 200_000, 5_000_000, 3 })
        {
            byte[] bytes = new byte[length];
            random.NextBytes(bytes);
            Assert.Equal(IpcStatus.Ok, client.Writer.Write(bytes, (ushort)(length % 30_000), Hang));
            Assert.Equal(IpcStatus.Ok, client.Reader.Read(out RingRecord record, Hang));
            Assert.Equal(length % 30_000, record.Type);
            Assert.True(bytes.AsSpan().SequenceEqual(record.Payload), $"{length} bytes");
            client.Reader.Release();
        }
    }

    [Fact]
    public void ManyClientsHaveConnectionsOfTheirOwn()
    {
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        Background[] clients = [.. Enumerable.Range(0, 8).Select(number => Run(() =>
        {
            using Connection client = Connect();
            for (int i = 0; i < 300; i++)
                Assert.Equal($"{number}:{i}", Echo(client, $"{number}:{i}"));
        }))];
        foreach (Background client in clients)
            client.Join();
        Watchdog.Until(() => entrance.Count == 0 && server.Listener.Count == 0, "the ends");
    }

    [Fact]
    public void TheClosesOfBothSidesComeWithTheirCodesAndWords()
    {
        using Listener server = Listener.Open("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        Background connecting = Run(() => Own(Connect()));
        Connection first = Accept(server);
        connecting.Join();
        first.Shutdown((CloseCode)5, "enough");
        first.Dispose();
        connecting = Run(() => Own(Connect()).Shutdown(CloseCode.Normal, ""));
        Connection second = Accept(server);
        connecting.Join();
        Assert.Equal(IpcStatus.Ok, server.Next(out ListenerEvent closed, Hang));
        Assert.Equal((ListenerEventKind.Closed, CloseCode.Normal), (closed.Kind, closed.Connection.PeerCloseCode));
        second.Dispose();
        using Connection third = Connection(server);
        Assert.Equal(IpcStatus.Ok, third.Writer.Write("last words"u8, 1, Hang));
        third.Shutdown((CloseCode)5, "enough");
        Assert.Equal(IpcStatus.Ok, _client!.Reader.Read(out RingRecord record, Hang));
        Assert.True(record.Payload.SequenceEqual("last words"u8));
        _client.Reader.Release();
        Assert.Equal(IpcStatus.PeerClosed, _client.Reader.Read(out _, Hang));
        Assert.Equal(((CloseCode)5, "enough"), (_client.PeerCloseCode, _client.PeerCloseText));
    }

    private Connection? _client;

    private Connection Connection(Listener server)
    {
        Background connecting = Run(() => _client = Own(Connect()));
        Connection connection = Accept(server, isReadable: false);
        connecting.Join();
        return connection;
    }

    /// <summary>What others have to read stays lent.</summary>
    private static Connection Accept(Listener server, bool isReadable = true)
    {
        ListenerEvent asked;
        do
        {
            Assert.Equal(IpcStatus.Ok, server.Next(out asked, Hang));
        }
        while (!isReadable && asked.Kind == ListenerEventKind.Readable);
        Assert.Equal(ListenerEventKind.Connect, asked.Kind);
        asked.Connection.Accept();
        server.Return(asked.Connection);
        return asked.Connection;
    }

    [Fact]
    public void AServersRefusalComesWithItsWordsAndTheHelloGoesThere()
    {
        using EchoServer server = new("there") { Decide = static connection => connection.Hello.Span.SequenceEqual("me"u8) ? null : "who are you?" };
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        ConnectionRefusedException refused = Assert.Throws<ConnectionRefusedException>(() => Ipc.Connection.Connect("here", new ConnectOptions { Hello = Text("you") }));
        Assert.Equal("who are you?", refused.Message);
        using Connection client = Ipc.Connection.Connect("here", new ConnectOptions { Hello = Text("me") });
        Assert.Equal("hi", Echo(client, "hi"));
    }

    [Fact]
    public void AnExitThatIsFollowedCarriesOnWhoIsThere()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "nobody takes over a live name there");
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        ExitOptions.Listener = new ListenerOptions { TakeOver = true };
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection stays = Connect();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        for (int i = 0; i < 3; i++)
        {
            using Connection comes = Connect();
            Assert.Equal("there", Echo(comes, "there"));
            Assert.Equal("still", Echo(stays, "still"));
        }
    }

    [Fact]
    public void WithoutAServerOrAnEntranceAClientIsToldThatAndComesAgain()
    {
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        IpcException error = Fails(IpcStatus.PeerClosed, () => Ipc.Connection.Connect("here").Dispose());
        Assert.Contains("there", error.Message, StringComparison.Ordinal);
        using (EchoServer server = new("there"))
        using (Connection client = Connect())
            Assert.Equal("hi", Echo(client, "hi"));
        entrance.Dispose();
        error = Fails(IpcStatus.PeerClosed, () => Ipc.Connection.Connect("here").Dispose());
        Assert.Contains("127.0.0.1", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WhatIsNotAllowedIsRefused()
    {
        using EchoServer server = new("secret");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance, "secret"), ExitOptions));
        Assert.Contains("secret", Assert.Throws<ConnectionRefusedException>(() => Connect().Dispose()).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("right", true)]
    [InlineData("wrong", false)]
    [InlineData("righ", false)]
    [InlineData("", false)]
    public void ATokenLetsIn(string token, bool isRight)
    {
        using EchoServer server = new("there");
        EntranceOptions.Token = Text("right");
        ExitOptions.Token = Text(token);
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        if (isRight)
            Connect().Dispose();
        else
            Assert.Contains("token", Assert.Throws<ConnectionRefusedException>(() => Connect().Dispose()).Message, StringComparison.Ordinal);
    }

    /// <summary>Bytes are lost then, and nobody says that they are not.</summary>
    [Fact]
    public void ACutIsTold()
    {
        using EchoServer server = new("there");
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using Connection client = Connect();
        Assert.Equal("hi", Echo(client, "hi"));
        network.Cut();
        Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out _, Hang));
        Assert.Equal(CloseCode.Lost, client.PeerCloseCode);
        Watchdog.Until(() => server.Ended.Count == 1, "the server to be told");
        Assert.Equal(CloseCode.Lost, server.Ended[0].Code);
        using Connection again = Connect();
        Assert.Equal("hi", Echo(again, "hi"));
    }

    /// <summary>As many as an entrance takes: each is told, its place is free again on both machines, and as many others have them.</summary>
    [Fact]
    public void AllConnectionsOfAnEntranceAreCutAtOnceAndAsManyCome()
    {
        const int Count = 256;
        ConnectOptions small = new() { ToServerCapacity = 4096, ToClientCapacity = 4096, LoanBudget = 0, Deadline = Deadline.After(Watchdog.Patience) };
        EntranceOptions.Connections = small;
        EntranceOptions.ConnectTimeout = ExitOptions.ConnectTimeout = Watchdog.Patience;
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        Assert.Equal(Count, EntranceOptions.MaxConnections);
        BadNetwork network = OpenNetwork(entrance);
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        for (int round = 1; round <= 2; round++)
        {
            Connection[] clients = [.. Enumerable.Range(0, Count).Select(_ => Ipc.Connection.Connect("here", small))];
            foreach (Connection client in clients)
                Assert.Equal("hi", Echo(client, "hi"));
            Assert.Equal(Count, entrance.Count);
            network.Cut();
            foreach (Connection client in clients)
            {
                Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out _, Hang));
                Assert.Equal(CloseCode.Lost, client.PeerCloseCode);
                client.Dispose();
            }

            Watchdog.Until(() => entrance.Count == 0 && server.Listener.Count == 0 && server.Ended.Count == round * Count, "the server to be told of all");
        }

        Assert.All(server.Ended, static end => Assert.Equal(CloseCode.Lost, end.Code));
    }

    [Fact]
    public void SilenceIsNoticedAfterThreeTimesWhatWasPromised()
    {
        EntranceOptions.Alive = ExitOptions.Alive = TimeSpan.FromSeconds(1);
        using EchoServer server = new("there");
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using Connection client = Connect();
        Assert.Equal("hi", Echo(client, "hi"));
        Thread.Sleep(4500); // nobody says anything: both are there
        Assert.Equal("ho", Echo(client, "ho"));
        network.Hold();
        Assert.Equal(IpcStatus.PeerClosed, client.Reader.Read(out _, Hang));
        Assert.Equal(CloseCode.Lost, client.PeerCloseCode);
        Watchdog.Until(() => server.Ended.Count == 1, "the server to be told");
    }

    /// <summary>It may take its time: whoever is not reading does not hear, and the other one waits.</summary>
    [Fact]
    public void AServerThatDoesNotReadHoldsItsClientUpAndNoOther()
    {
        EntranceOptions.Alive = ExitOptions.Alive = TimeSpan.FromSeconds(1);
        using Listener server = Listener.Open("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        Connection slow = Connection(server);
        Connection slowClient = _client!;
        byte[] block = new byte[60_000];
        int sent = 0;
        while (slowClient.Writer.Write(block, 1, Deadline.After(TimeSpan.FromSeconds(1))) == IpcStatus.Ok)
            sent++;
        Assert.InRange(sent, 10, 10_000);
        for (int i = 0; i < 3; i++)
        {
            Connection quick = Connection(server);
            Assert.Equal(IpcStatus.Ok, _client!.Writer.Write("hi"u8, 1, Hang));
            Assert.Equal(IpcStatus.Ok, NextReadable(server, slow, quick));
            quick.Dispose();
        }

        Thread.Sleep(4500); // longer than silence is borne
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(IpcStatus.Ok, slow.Reader.Read(out RingRecord record, Hang));
            Assert.Equal(60_000, record.Payload.Length);
            slow.Reader.Release();
        }

        slow.Dispose();
    }

    /// <summary>What the exit or the entrance has read of TCP, and there is no room for yet, comes before the end.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnOrderlyEndComesBehindAFullRing(bool ofTheClient)
    {
        using Listener server = Listener.Open("there");
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        Connection there = Connection(server), here = _client!;
        Connection from = ofTheClient ? here : there, to = ofTheClient ? there : here;
        byte[] record = new byte[1000];
        long count = to.Reader.Capacity / 1000 + 60;
        for (long i = 0; i < count; i++)
            Assert.Equal(IpcStatus.Ok, from.Writer.Write(record, 1, Hang));
        from.Shutdown(CloseCode.Normal, "all of it");
        Thread.Sleep(500); // it has come as far as there is room
        for (long i = 0; i < count; i++)
        {
            Assert.Equal(IpcStatus.Ok, to.Reader.Read(out RingRecord got, Hang));
            Assert.Equal(record.Length, got.Payload.Length);
            to.Reader.Release();
            Thread.Sleep(1); // slower than it comes: the ring is full again and again
        }

        Assert.Equal(IpcStatus.PeerClosed, to.Reader.Read(out _, Hang));
        Assert.Equal(CloseCode.Normal, to.PeerCloseCode);
    }

    private static IpcStatus NextReadable(Listener server, Connection slow, Connection wanted)
    {
        for (; ; )
        {
            IpcStatus status = server.Next(out ListenerEvent found, Hang);
            if (status != IpcStatus.Ok || found.Connection == wanted)
                return status;
            Assert.Same(slow, found.Connection); // lent from now on
        }
    }

    [Fact]
    public void BothSidesGoAtAnyTime()
    {
        for (int round = 0; round < 20; round++)
        {
            using EchoServer server = new("there");
            using TcpEntrance entrance = TcpEntrance.Open(EntranceOptions);
            using TcpExit exit = TcpExit.Open("here", AddressOf(entrance), ExitOptions);
            using Connection client = Connect();
            Background calls = Run(() =>
            {
                while (Echo(client, "hi") == "hi")
                {
                }
            });
            Thread.Sleep(round * 3);
            if (round % 2 == 0)
                entrance.Dispose();
            else
                exit.Dispose();
            calls.Join();
            Assert.Equal(CloseCode.Shutdown, client.PeerCloseCode);
        }
    }
}
