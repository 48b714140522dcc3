using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Conversations between two names, with a program of either language at either end, killed and replaced.</summary>
public sealed class NamedTests(Peers peers)
{
    private const string Waiting = "timeout=600000";

    private readonly string _name = peers.NewName("exchange");

    public static TheoryData<Language, Language> Pairs => Matrix.Pairs;

    /// <summary>Who the server is, and who comes after it; who the client is, and who comes after it.</summary>
    public static TheoryData<Language, Language, Language, Language> Successors
    {
        get
        {
            var data = new TheoryData<Language, Language, Language, Language>();
            foreach (Language server in Enum.GetValues<Language>())
            {
                foreach (Language next in Enum.GetValues<Language>())
                {
                    foreach (Language client in Enum.GetValues<Language>())
                    {
                        foreach (Language back in Enum.GetValues<Language>())
                            data.Add(server, next, client, back);
                    }
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void MessagesGoBothWays(Language serving, Language asking)
    {
        Driven server = peers.At(serving, "server"), client = peers.At(asking, "client");
        server.Must($"open-named-listener 1 {_name} identity=today");
        client.Must($"open-named 1 {_name} trader login=secret to_server=4096 to_client=4096 budget=4194304");
        int connection = LogIn(server, client, "welcome");
        foreach (int length in new[] { 8, 100, 1500, 3000, 100_000 })
        {
            long sequence = client.Must($"named-send 1 {length} {Waiting}")["sequence"];
            Answer got = Receive(server, connection);
            Assert.Equal((sequence, 0, length), (got["sequence"], got["redelivered"], got["length"]));
            server.Must($"named-send {connection} {length} {Waiting}");
            got = client.Must($"named-receive 1 {Waiting}");
            Assert.Equal((sequence, 0, length), (got["sequence"], got["redelivered"], got["length"]));
            Assert.Equal(sequence, client.Must("named-acknowledge 1")["acknowledged"]);
        }

        Answer state = client.Must("named-state 1");
        Assert.Equal("today welcome", state.Text);
        Assert.Equal((1, 5, 5, 5, 0), (state["connected"], state["sent"], state["received"], state["acknowledged"], state["outstanding"]));
        client.Must("named-close 1 1");
        Answer end = server.Must($"named-next 1 {Waiting}");
        Assert.Equal((3, (long)IpcStatus.PeerClosed, 1), (end["kind"], end["reason"], end["code"]));
        server.Must("close 1");
        client.Must($"named-remove {_name} trader");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>Each is killed in the middle of a conversation, and a program of either language comes after it under its name.</summary>
    [Theory]
    [MemberData(nameof(Successors))]
    public void WhoeverComesNextGoesOn(Language serving, Language next, Language asking, Language back)
    {
        using Driven server = peers.New(serving), client = peers.New(asking);
        server.Must($"open-named-listener 1 {_name}");
        client.Must($"open-named 1 {_name} trader");
        int connection = LogIn(server, client);
        for (int i = 0; i < 4; i++)
        {
            client.Must($"named-send 1 50 {Waiting}");
            server.Must($"named-send {connection} 60 {Waiting}");
        }

        for (int i = 0; i < 3; i++)
        {
            Receive(server, connection, acknowledges: false);
            client.Must($"named-receive 1 {Waiting}");
        }

        server.Must($"named-acknowledge {connection} 1");
        client.Must("named-acknowledge 1 2");
        server.Kill();
        client.Must($"named-send 1 70 {Waiting}"); // it waits for the next one
        client.Kill();

        using Driven server2 = peers.New(next), client2 = peers.New(back);
        client2.Must($"open-named 1 {_name} trader");
        Assert.Equal((6, 2), (client2.Must($"named-send 1 80 {Waiting}")["sequence"], client2.Must("named-state 1")["acknowledged"]));
        Assert.Equal([(3, 1), (4, 1)], ReceiveAll(client2, 1, 2)); // the flag: whatever was there when the receiver died may have been handled
        server2.Must($"open-named-listener 1 {_name}");
        connection = LogIn(server2, client2);
        Assert.Equal(5, server2.Must($"named-send {connection} 90 {Waiting}")["sequence"]);
        Assert.Equal([2, 3, 4, 5, 6], Enumerable.Range(0, 5).Select(_ => Receive(server2, connection)["sequence"]));
        Assert.Equal([(5, 0)], ReceiveAll(client2, 1, 1));
        client2.Must("close 1");
        server2.Must("close 1");
        server2.Must($"named-remove {_name} trader");
    }

    /// <summary>A supervisor that has seen the end of a server, and has started another, asks for a session with it at once: it is not given the one that is over, although
    /// nobody in its process has noticed the death yet.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void WhoeverAsksForASessionGetsNoneOfADeadServer(Language serving, Language asking)
    {
        Driven next = peers.At(serving, "server"), client = peers.At(asking, "client");
        Driven[] victims = [.. Enumerable.Range(0, 8).Select(_ => peers.New(Language.C))];
        client.Must($"open-named 1 {_name} trader reconnect=0");
        foreach (Driven victim in victims)
        {
            victim.Must($"open-named-listener 1 {_name}");
            LogIn(victim, client);
            victim.Kill();
            next.Must($"open-named-listener 1 {_name}");
            LogIn(next, client);
            next.Must("close 1");
        }

        client.Must("close 1");
        client.Must($"named-remove {_name} trader");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void ASecondClientOfTheNameIsRefusedAndNamedUntilTheFirstDies(Language first, Language second)
    {
        using Driven one = peers.New(first);
        Driven other = peers.At(second, "client");
        one.Must($"open-named 1 {_name} trader");
        Answer refused = other.Do($"open-named 1 {_name} trader");
        Assert.Equal(IpcStatus.InUse, refused.Status);
        Assert.Contains($"client \"trader\" already, process {one.ProcessId}", refused.Text, StringComparison.Ordinal);
        one.Kill();
        other.Must($"open-named 1 {_name} trader");
        other.Must("close 1");
        other.Must($"named-remove {_name} trader");
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void AServerRefusesWithWordsAndAnotherIdentityBeginsAnew(Language serving, Language asking)
    {
        Driven server = peers.At(serving, "server"), client = peers.At(asking, "client");
        server.Must($"open-named-listener 1 {_name} identity=monday");
        client.Must($"open-named 1 {_name} trader reconnect=0");
        client.Must($"named-send 1 50 {Waiting}");
        client.Begin($"named-login 1 {Waiting}");
        int connection = (int)server.Must($"named-next 1 {Waiting}")["connection"];
        server.Must($"named-refuse {connection} not today");
        Answer refused = client.Result();
        Assert.Equal((IpcStatus.Refused, "not today"), (refused.Status, refused.Text));
        LogIn(server, client);
        server.Must("close 1");

        server.Must($"open-named-listener 1 {_name} identity=tuesday");
        connection = LogIn(server, client);
        Assert.Equal(0, client.Must("named-state 1")["sent"]);
        Assert.Equal(1, client.Must($"named-send 1 50 {Waiting}")["sequence"]);
        Assert.Equal(1, Receive(server, connection)["sequence"]);
        client.Must("close 1");
        server.Must("close 1");
        server.Must($"named-remove {_name} trader");
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void TheServerReadsWhatAnAbsentClientHasLeftAndLeavesItSomething(Language serving, Language asking)
    {
        Driven server = peers.At(serving, "server"), client = peers.At(asking, "client");
        client.Must($"open-named 1 {_name} trader");
        client.Must($"named-send 1 50 {Waiting}");
        client.Must("close 1");
        server.Must($"open-named-listener 1 {_name}");
        Assert.Equal(IpcStatus.NotFound, server.Do("named-attach 1 nobody").Status);
        int connection = (int)server.Must("named-attach 1 trader")["connection"];
        Assert.Equal(1, server.Must($"named-receive {connection} {Waiting}")["sequence"]);
        server.Must($"named-acknowledge {connection}");
        server.Must($"named-send {connection} 60 {Waiting}");
        server.Must("close 1");
        client.Must($"open-named 1 {_name} trader reconnect=0");
        Assert.Equal((1, 0), (client.Must($"named-receive 1 {Waiting}")["sequence"], client.Must("named-state 1")["outstanding"]));
        client.Must("close 1");
        client.Must($"named-remove {_name} trader");
    }

    private static int LogIn(Driven server, Driven client, string reply = "")
    {
        client.Begin($"named-login 1 {Waiting}");
        Answer login = server.Must($"named-next 1 {Waiting}");
        while (login["kind"] != 1)
            login = server.Must($"named-next 1 {Waiting}");
        int connection = (int)login["connection"];
        server.Must($"named-accept {connection} {reply}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        return connection;
    }

    /// <summary>By the listener: what is readable is received and given back.</summary>
    private static Answer Receive(Driven server, int connection, bool acknowledges = true)
    {
        Answer answer = server.Do($"named-receive {connection}");
        while (answer.Status != IpcStatus.Ok)
        {
            Assert.Equal(IpcStatus.Timeout, answer.Status);
            Answer found = server.Must($"named-next 1 {Waiting}");
            Assert.Equal((2, connection), (found["kind"], (int)found["connection"]));
            answer = server.Do($"named-receive {connection}");
            server.Must($"named-return 1 {connection}");
        }

        if (acknowledges)
            server.Must($"named-acknowledge {connection}");
        return answer;
    }

    private static List<(long, long)> ReceiveAll(Driven peer, int id, int count)
    {
        List<(long, long)> got = [];
        for (int i = 0; i < count; i++)
        {
            Answer answer = peer.Must(string.Create(CultureInfo.InvariantCulture, $"named-receive {id} {Waiting}"));
            got.Add((answer["sequence"], answer["redelivered"]));
        }

        return got;
    }
}
