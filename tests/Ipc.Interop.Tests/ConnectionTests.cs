using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Listener and connections, a server of one language and clients of the other.</summary>
public sealed class ConnectionTests(Peers peers)
{
    private const int EndOfService = 65535, Connect = 1, Readable = 2, Closed = 3;
    private readonly string _name = peers.NewName("listener");

    [Theory]
    [MemberData(nameof(Matrix.PairsAndWaitModes), MemberType = typeof(Matrix))]
    public void AnEchoOfRandomSizesComesBackInEveryWaitMode(Language client, Language server, string wait)
    {
        Driven service = Serve(server, $"wait={wait}"), caller = peers.At(client, "client");
        caller.Must($"connect 2 {_name} wait={wait} timeout=600000");
        caller.Must("ping 2 2 1000 9000 timeout=600000");
        EndService(service, caller, 2, "0 accepted=1 closed=0 broken=0");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ARequestThatIsClosedUnansweredIsRefused(Language client, Language server)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        service.Must($"listen 1 {_name}");
        caller.Begin($"connect 2 {_name} timeout=600000");
        service.Must($"close {service.Must("next 1 timeout=600000")["connection"]}");
        Answer refused = caller.Result();
        Assert.Equal(IpcStatus.Refused, refused.Status);
        Assert.Contains("server closed the connection without accepting it", refused.Text, StringComparison.Ordinal);
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>It says why it does not want the client, and closes.</summary>
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void TheWordsOfAShutdownStayWhereARequestIsClosedUnanswered(Language server)
    {
        const int Body = Wire.Region.Participants;
        Driven service = peers.At(server, "server");
        service.Must($"listen 1 {_name}");
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        using (FakeClient client = FakeClient.Connect(peers.Directory, _name, listener, image => { }))
        {
            long connection = service.Must("next 1 timeout=600000")["connection"];
            service.Must($"shutdown {connection} 5 no such hello");
            service.Must($"close {connection}");
            client.WaitForReply(accepted: false);
            Assert.Equal(5u, client.Region[Body + Wire.Connection.ServerClose]);
            Assert.Equal("no such hello", Encoding.UTF8.GetString(client.Region.Copy(), Body + Wire.Connection.ServerText, (int)client.Region[Body + Wire.Connection.ServerTextLength]));
        }

        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>Long requests between short ones: what an idle server holds back is what the next long one needs.</summary>
    [Theory]
    [MemberData(nameof(Matrix.PairsAndWaitModes), MemberType = typeof(Matrix))]
    public void ARequestThatFitsIsSentToAnIdleServer(Language client, Language server, string wait)
    {
        Driven service = Serve(server, $"wait={wait}"), caller = peers.At(client, "client");
        caller.Must($"connect 2 {_name} wait={wait} timeout=600000");
        foreach (int length in (int[])[120000, .. Enumerable.Repeat(1000, 20), 125000])
        {
            caller.Must($"write 2 1 {length} 1 timeout=60000");
            Assert.Equal(length, (int)caller.Must("read 2 timeout=60000")["length"]);
            caller.Must("release 2");
        }

        caller.Must("ping 2 2 100 128000 timeout=600000");
        EndService(service, caller, 2, "0 accepted=1 closed=0 broken=0");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AHundredConnectionsOfOneServerWorkAtOnce(Language client, Language server)
    {
        Driven service = Serve(server), caller = peers.At(client, "client");
        for (int id = 100; id < 200; id++)
            caller.Must($"connect {id} {_name} to_server=65536 to_client=65536 timeout=600000");
        for (int round = 0; round < 2; round++)
        {
            for (int id = 100; id < 200; id++)
                caller.Must($"ping {id} {id} 3 1000 timeout=600000");
        }
        for (int id = 101; id < 200; id += 2)
            caller.Must($"close {id}");
        for (int id = 102; id < 200; id += 2)
            caller.Must($"ping {id} {id} 3 1000 timeout=600000");
        for (int id = 102; id < 200; id += 2)
            caller.Must($"close {id}");
        caller.Must("write 100 1 8 65535 timeout=600000");
        Answer served = service.Result();
        Assert.Equal((IpcStatus.Ok, 100, 0), (served.Status, (int)served["accepted"], (int)served["broken"]));
        caller.Must("close 100");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ARefusalArrivesWithItsText(Language client, Language server)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        service.Must($"listen 1 {_name}");
        caller.Begin($"connect 2 {_name} hello=let-me-in timeout=600000");
        Answer asked = service.Must("next 1 timeout=600000");
        Assert.Equal((Connect, "let-me-in", caller.ProcessId), ((int)asked["kind"], asked.Text, (int)asked["pid"]));
        service.Must($"refuse {asked["connection"]} not before nine: Öffnungszeiten");
        Answer refused = caller.Result();
        Assert.Equal(IpcStatus.Refused, refused.Status);
        Assert.Contains("not before nine: Öffnungszeiten", refused.Text, StringComparison.Ordinal);

        caller.Begin($"connect 2 {_name} timeout=600000"); // the slot is free again
        asked = service.Must("next 1 timeout=600000");
        service.Must($"accept {asked["connection"]}");
        Assert.Equal(IpcStatus.Ok, caller.Result().Status);
        caller.Must("close 2");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatWasPublishedBeforeTheClientClosedIsStillRead(Language client, Language server)
    {
        (Driven service, Driven caller, long connection) = Accepted(server, client);
        for (int n = 1; n <= 10; n++)
            caller.Must($"write 2 {n} 100 {n} timeout=600000");
        caller.Must("close 2");
        int next = 1;
        for (Answer found = service.Must("next 1 timeout=600000"); found["kind"] != Closed; found = service.Must("next 1 timeout=600000"))
        {
            Assert.Equal(Readable, found["kind"]);
            Assert.Equal(connection, found["connection"]);
            for (Answer record = service.Do($"read {connection}"); record.Status == IpcStatus.Ok; record = service.Do($"read {connection}"))
                Assert.Equal(next++, record["type"]);
            service.Must($"release {connection}");
            service.Must($"return 1 {connection}");
        }
        Assert.Equal(11, next);
        Assert.Equal(IpcStatus.PeerClosed, service.Do($"read {connection} timeout=600000").Status);
        service.Must($"close {connection}");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheClientLearnsWhyTheServerClosed(Language client, Language server)
    {
        const int Protocol = 5;
        (Driven service, Driven caller, long connection) = Accepted(server, client);
        service.Must($"write {connection} 4 100 4 timeout=600000");
        caller.Begin("read 2 timeout=600000");
        Assert.Equal(4, caller.Result()["type"]);
        caller.Must("release 2");
        caller.Begin("read 2 timeout=600000");
        service.Must($"shutdown {connection} {Protocol} bad manners");
        Assert.Equal(IpcStatus.PeerClosed, caller.Result().Status);
        Answer state = caller.Must("state 2");
        Assert.Equal((0, Protocol, "bad manners"), ((int)state["open"], (int)state["code"], state.Text));
        caller.Must("close 2");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AServerThatClosesEndsItsConnectionsInOrder(Language client, Language server)
    {
        const int Shutdown = 4;
        (Driven service, Driven caller, _) = Accepted(server, client);
        caller.Begin("read 2 timeout=600000");
        service.Must("close 1");
        Assert.Equal(IpcStatus.PeerClosed, caller.Result().Status);
        Assert.Equal(Shutdown, caller.Must("state 2")["code"]);
        caller.Must("close 2");
        Assert.Equal(IpcStatus.NotFound, caller.Do($"connect 2 {_name}").Status);
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheServerLearnsThatAClientDiedAndUsesItsSlotAgain(Language client, Language server)
    {
        Driven service = peers.At(server, "server");
        service.Must($"listen 1 {_name} max=63");
        for (int round = 0; round < 3; round++)
        {
            using Driven dying = peers.New(client);
            dying.Begin($"connect 2 {_name} timeout=600000");
            Answer asked = service.Must("next 1 timeout=600000");
            service.Must($"accept {asked["connection"]}");
            service.Must($"return 1 {asked["connection"]}");
            Assert.Equal(IpcStatus.Ok, dying.Result().Status);
            Assert.Equal(1, asked["slot"]); // the first: nothing leaks from round to round
            service.Begin("next 1 timeout=600000");
            service.WaitUntilAsleep();
            dying.Kill();
            Answer closed = service.Result();
            Assert.Equal((Closed, asked["connection"]), ((int)closed["kind"], closed["connection"]));
            Assert.Equal(IpcStatus.PeerDied, service.Do($"read {asked["connection"]} timeout=600000").Status);
            service.Must($"close {asked["connection"]}");
        }
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>The server notices each, goes on with others meanwhile, and has all its places again: the same ones, for as many others.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AThousandConnectionsOfAProcessThatIsKilledLeaveTheirPlaces(Language client, Language server)
    {
        const int Count = 1000, Rounds = 2;
        const string Small = "to_server=4096 to_client=4096 budget=0 timeout=600000";
        Driven service = peers.At(server, "server"), other = peers.At(client, "other");
        service.Must($"listen 1 {_name} max={Count + 1}");
        service.Begin("serve 1 timeout=600000");
        other.Must($"connect 2 {_name} {Small}");
        for (int round = 0; round < Rounds; round++)
        {
            using Driven dying = peers.New(client);
            for (int i = 0; i < Count; i++)
                dying.Must($"connect {i + 2} {_name} {Small}"); // the last one finds room only if all the former ones have left theirs
            dying.Must($"ping {Count} {Count} 10 100 timeout=600000");
            dying.Kill();
            other.Must("ping 2 2 100 100 timeout=600000");
        }

        other.Must($"connect 3 {_name} {Small}");
        other.Must("close 3");
        other.Must("write 2 1 8 65535 timeout=600000");
        Answer served = service.Result();
        Assert.Equal((IpcStatus.Ok, Rounds * Count + 2), (served.Status, served["accepted"]));
        Assert.InRange(served["closed"] + served["broken"], Count, Rounds * Count + 1);
        other.Must("close 2");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    public static TheoryData<Language, Language, int> HighSlots()
    {
        TheoryData<Language, Language, int> rows = new();
        foreach (TheoryDataRow<Language, Language> pair in Matrix.Pairs)
        {
            foreach (int slot in new[] { 4096, 8190, 8191, 16383 }) // where the lock that says who it is lies behind the others
                rows.Add(pair.Data.Item1, pair.Data.Item2, slot);
        }

        return rows;
    }

    /// <summary>All places before its own are somebody's, as far as the listener's region says.</summary>
    [Theory]
    [MemberData(nameof(HighSlots))]
    public void TheLastOfManyClientsIsServedAndItsDeathNoticed(Language client, Language server, int slot)
    {
        Driven service = peers.At(server, "server");
        service.Must($"listen 1 {_name} max=16383");
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            long slots = (long)listener.U64(listener.Body + Wire.Listener.SlotsOffset);
            for (int i = 1; i < slot; i++)
            {
                listener.U64(slots + i * Wire.Listener.SlotSize, 0xABCD00 | 3); // attached: a client that joins leaves it alone
                listener.Write(Wire.Region.Participants + i * Wire.Participant.Size, [1, 0, 0, 0]);
            }
        }

        using Driven dying = peers.New(client);
        dying.Begin($"connect 2 {_name} timeout=600000");
        Answer asked = service.Must("next 1 timeout=600000");
        Assert.Equal(slot, asked["slot"]);
        Assert.Equal(dying.ProcessId, asked["pid"]);
        service.Must($"accept {asked["connection"]}");
        service.Must($"return 1 {asked["connection"]}");
        Assert.Equal(IpcStatus.Ok, dying.Result().Status);
        dying.Must("write 2 1 100 7");
        Answer readable = service.Must("next 1 timeout=600000");
        Assert.Equal((Readable, asked["connection"]), ((int)readable["kind"], readable["connection"]));
        Assert.Equal(7, service.Must($"read {asked["connection"]} timeout=600000")["type"]);
        service.Must($"release {asked["connection"]}");
        service.Must($"return 1 {asked["connection"]}");
        service.Begin("next 1 timeout=600000");
        service.WaitUntilAsleep();
        dying.Kill();
        Answer closed = service.Result();
        Assert.Equal((Closed, asked["connection"]), ((int)closed["kind"], closed["connection"]));
        Assert.Equal(IpcStatus.PeerDied, service.Do($"read {asked["connection"]} timeout=600000").Status);
        service.Must($"close {asked["connection"]}");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>A server's thread in the connection's own reader, with nobody in the listener: what comes, and the client's death, wake it there.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AServerThatReadsAConnectionItselfIsWokenByItsClientAndByItsDeath(Language client, Language server)
    {
        Driven service = peers.At(server, "server");
        service.Must($"listen 1 {_name} max=63");
        using (Driven dying = peers.New(client))
        {
            dying.Begin($"connect 2 {_name} timeout=600000");
            long connection = service.Must("next 1 timeout=600000")["connection"];
            service.Must($"accept {connection}");
            Assert.Equal(IpcStatus.Ok, dying.Result().Status);
            for (int round = 0; round < 3; round++)
            {
                service.Begin($"read {connection} timeout=600000");
                service.WaitUntilAsleep();
                dying.Must("write 2 50");
                Assert.Equal(IpcStatus.Ok, service.Result().Status);
                service.Must($"release {connection}");
            }

            service.Begin($"read {connection} timeout=600000");
            service.WaitUntilAsleep();
            dying.Kill();
            Assert.Equal(IpcStatus.PeerDied, service.Result().Status);
            service.Must($"close {connection}");
        }

        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheClientLearnsThatTheServerDiedAndFindsItsSuccessor(Language client, Language server)
    {
        Driven caller = peers.At(client, "client");
        using (Driven dying = peers.New(server))
        {
            dying.Must($"listen 1 {_name}");
            dying.Begin("serve 1 timeout=600000");
            caller.Must($"connect 2 {_name} timeout=600000");
            caller.Must("ping 2 2 10 100 timeout=600000");
            Assert.Equal(IpcStatus.InUse, peers.At(server, "server").Do($"listen 1 {_name}").Status); // two servers of one name: no
            caller.Begin("read 2 timeout=600000");
            caller.WaitUntilAsleep();
            dying.Kill();
        }
        Assert.Equal(IpcStatus.PeerDied, caller.Result().Status);
        Assert.Equal(0, caller.Must("state 2")["open"]);
        caller.Begin($"connect 3 {_name} timeout=600000"); // waits for a server while the dead one's region is still there
        Driven successor = Serve(server);
        Assert.Equal(IpcStatus.Ok, caller.Result().Status);
        caller.Must("ping 3 3 10 100 timeout=600000");
        caller.Must("close 2");
        EndService(successor, caller, 3, "0 accepted=1 closed=0 broken=0");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AClientThatAsksForTooMuchIsRefusedAndTheOthersAreNot(Language client, Language server)
    {
        Driven service = Serve(server, "limit=65536"), caller = peers.At(client, "client");
        Answer refused = caller.Do($"connect 2 {_name} to_server=1048576 timeout=600000");
        Assert.Equal(IpcStatus.Refused, refused.Status);
        Assert.Contains("65536", refused.Text, StringComparison.Ordinal);
        caller.Must($"connect 2 {_name} to_server=65536 to_client=4096 timeout=600000");
        caller.Must("ping 2 2 10 1000 timeout=600000");
        caller.Must("write 2 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, service.Result().Status);
        caller.Must("close 2");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void MoreClientsThanSlotsIsAClearError(Language client, Language server)
    {
        Driven service = Serve(server, "max=63"), caller = peers.At(client, "client");
        for (int id = 100; id < 163; id++)
            caller.Must($"connect {id} {_name} to_server=4096 to_client=4096 timeout=600000");
        Assert.Equal(IpcStatus.TableFull, caller.Do($"connect 2 {_name} timeout=200").Status);
        for (int id = 101; id < 163; id++)
            caller.Must($"close {id}");
        EndService(service, caller, 100, null);
    }

    /// <summary>The server is on its way out, the client comes, asks and gives up: whoever is first, no file is left.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AClientThatGivesUpWhileItsServerLeavesLeavesNoFile(Language client, Language server)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        for (int round = 0; round < 30; round++)
        {
            service.Must($"listen 1 {_name}");
            caller.Begin($"connect 2 {_name} timeout={round % 5 + 1}");
            service.Must("close 1");
            Assert.NotEqual(IpcStatus.Ok, caller.Result().Status);
            Assert.Empty(peers.Directory.FilesOf(_name));
        }
    }

    /// <summary>The same, killed where it stands.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AClientThatIsKilledWhileItsServerLeavesLeavesNoFile(Language client, Language server)
    {
        Driven service = peers.At(server, "server");
        for (int round = 0; round < 10; round++)
        {
            Driven caller = peers.New(client);
            service.Must($"listen 1 {_name}");
            caller.Begin($"connect 2 {_name} timeout=600000");
            service.Must("close 1");
            caller.Kill();
            Assert.Empty(peers.Directory.FilesOf(_name));
        }
    }

    /// <summary>A wait for a server that is not there yet, and none that never comes.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AClientMayComeBeforeItsServer(Language client, Language server)
    {
        Driven caller = peers.At(client, "client");
        Assert.Equal(IpcStatus.NotFound, caller.Do($"connect 2 {_name}").Status);
        Assert.Equal(IpcStatus.NotFound, caller.Do($"connect 2 {_name} timeout=50").Status);
        caller.Begin($"connect 2 {_name} timeout=600000");
        caller.WaitUntilAsleep();
        Driven service = Serve(server);
        Assert.Equal(IpcStatus.Ok, caller.Result().Status);
        EndService(service, caller, 2, "0 accepted=1 closed=0 broken=0");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AClientThatNobodyAnswersTimesOut(Language client, Language server)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        service.Must($"listen 1 {_name}");
        Assert.Equal(IpcStatus.Timeout, caller.Do($"connect 2 {_name} timeout=100").Status);
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>One kind of region is not another, and both sides say so.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheWrongKindIsNamed(Language one, Language other)
    {
        Driven owner = peers.At(one, "server"), user = peers.At(other, "client");
        owner.Must($"listen 1 {_name}");
        Assert.Equal(IpcStatus.WrongKind, user.Do($"open-reader 2 {_name}").Status);
        owner.Must("close 1");
        owner.Must($"open-writer 1 {_name}");
        Assert.Equal(IpcStatus.WrongKind, user.Do($"connect 2 {_name}").Status);
        Assert.Equal(IpcStatus.WrongKind, user.Do($"listen 2 {_name}").Status);
        owner.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    private Driven Serve(Language server, string options = "")
    {
        Driven service = peers.At(server, "server");
        service.Must($"listen 1 {_name} {options}".TrimEnd());
        return service.Begin("serve 1 timeout=600000");
    }

    /// <summary>Ends the echo service through one connection, closes everything, finds nothing left.</summary>
    private void EndService(Driven service, Driven caller, int connection, string? expected)
    {
        caller.Must($"write {connection} 1 8 {EndOfService.ToString(CultureInfo.InvariantCulture)} timeout=600000");
        Answer served = service.Result();
        Assert.Equal(IpcStatus.Ok, served.Status);
        if (expected != null)
            Assert.Equal(expected, served.Line);
        caller.Must($"close {connection}");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    private (Driven Service, Driven Caller, long Connection) Accepted(Language server, Language client)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        service.Must($"listen 1 {_name}");
        caller.Begin($"connect 2 {_name} timeout=600000");
        Answer asked = service.Must("next 1 timeout=600000");
        Assert.Equal(Connect, asked["kind"]);
        service.Must($"accept {asked["connection"]}");
        service.Must($"return 1 {asked["connection"]}");
        Assert.Equal(IpcStatus.Ok, caller.Result().Status);
        return (service, caller, asked["connection"]);
    }
}
