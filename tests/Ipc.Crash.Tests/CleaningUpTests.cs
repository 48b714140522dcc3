using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// A server died; somebody who comes in cleans up after it: requests are withdrawn first, and that it died is said last. A client that looks in between was told
/// that the server had closed in good order. Nobody looks there by chance: the cleaner is held, or ends, between the two.
/// </summary>
[Collection(nameof(Waiting))]
public sealed class CleaningUpTests(Peers peers)
{
    private readonly string _name = peers.NewName("cleaning");

    public static TheoryData<Language, Language> Pairs => new()
    {
        { Language.C, Language.C }, { Language.C, Language.CSharp }, { Language.CSharp, Language.C }, { Language.CSharp, Language.CSharp },
    };

    /// <summary>It has asked, and waits for the answer; the cleaner is stopped.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void AClientThatFindsItsRequestWithdrawnLearnsOfTheDeath(Language language, Language cleaning)
    {
        using Driven cleaner = Faulty(cleaning, "recover.before_free", "stop"), client = Faulty(language, "connect.requested", "stop");
        KillTheServerOf(cleaner, client);
        cleaner.WaitUntilStopped();
        client.Continue();
        Assert.Equal(IpcStatus.PeerDied, client.Result().Status);
        cleaner.Kill();
        CheckNothingLeft(language);
    }

    /// <summary>It is about to ask; the cleaner was killed, and its lock is free.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void AClientThatFindsTheListenerClosedLearnsOfTheDeath(Language language, Language cleaning)
    {
        using Driven cleaner = Faulty(cleaning, "recover.before_free", "kill"), client = Faulty(language, "connect.slot_opening", "stop");
        KillTheServerOf(cleaner, client);
        cleaner.WaitForExit();
        client.Continue();
        Assert.Equal(IpcStatus.PeerDied, client.Result().Status);
        CheckNothingLeft(language);
    }

    /// <summary>It has asked; the next server is stopped between its request and that of another one.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void AClientWhoseRequestTheNextServerWithdrawsLearnsOfTheDeath(Language language, Language cleaning)
    {
        using Driven next = Faulty(cleaning, "listener.withdraw.unlinked:2", "stop");
        using Driven client = Faulty(language, "connect.requested", "stop"), other = Faulty(language, "connect.requested", "stop");
        using (Driven server = peers.New(Language.C))
        {
            server.Must($"listen 1 {_name} max=63");
            client.Begin($"connect 1 {_name} timeout=600000");
            client.WaitUntilStopped();
            other.Begin($"connect 1 {_name} timeout=600000");
            other.WaitUntilStopped(); // nobody but the next server hears of the death
            server.Kill();
        }

        next.Begin($"listen 1 {_name} max=63");
        next.WaitUntilStopped();
        client.Continue();
        Assert.Equal(IpcStatus.PeerDied, client.Result().Status);
        next.Kill();
        other.Kill();
        CheckNothingLeft(language);
    }

    /// <summary>The server has closed the connection and watches nothing of it any more; nobody else comes who would clean up.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void AServerCleansUpAfterAClientThatIsKilledOnItsWayOut(Language language, Language serving)
    {
        using Driven client = Faulty(language, "connection.close.word", "stop"), server = peers.New(serving);
        server.Must($"listen 1 {_name} max=63");
        client.Begin($"connect 1 {_name} timeout=600000");
        long connection = server.Must("next 1 timeout=600000")["connection"];
        server.Must($"accept {connection}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        client.Begin("close 1");
        client.WaitUntilStopped();
        server.Must($"return 1 {connection}"); // nobody has woken it: it looks now
        Assert.Equal(3, server.Must("next 1 timeout=600000")["kind"]); // closed
        server.Must($"close {connection}");
        client.Kill();
        using var region = new LiveRegion(peers.Directory.FileOf(_name));
        Watchdog.Until(() => region[Wire.Region.Participants + Wire.Participant.Size] == 0, "the entry of the dead client to be free");
        server.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>The same of one that was refused, by the server or by its listener's bound, or whose request cannot be opened, and that is killed before it learns of
    /// it.</summary>
    [Theory]
    [MemberData(nameof(PairsAndWays))]
    public void AServerCleansUpAfterAClientThatWasTurnedAwayAndIsKilled(Language language, Language serving, string way)
    {
        using Driven client = Faulty(language, "connect.requested", "stop"), first = peers.New(serving), server = peers.New(serving);
        int index = 1;
        server.Must($"listen 1 {_name} max=1");
        if (way == "full")
        {
            first.Begin($"connect 1 {_name} timeout=600000");
            server.Must($"accept {server.Must("next 1 timeout=600000")["connection"]}");
            Assert.Equal(IpcStatus.Ok, first.Result().Status);
            index = 2;
        }

        client.Begin($"connect 1 {_name} timeout=600000");
        client.WaitUntilStopped();
        if (way == "dropped")
            File.Delete(Assert.Single(Directory.GetFiles(peers.Directory.Path, _name + "~*")));
        if (way == "refused")
            server.Must($"refuse {server.Must("next 1 timeout=600000")["connection"]} no");
        else
            Assert.Equal(IpcStatus.Timeout, server.Do("next 1 timeout=100").Status); // there is no event of it
        client.Kill();
        using var region = new LiveRegion(peers.Directory.FileOf(_name));
        Watchdog.Until(() => region[Wire.Region.Participants + index * Wire.Participant.Size] == 0, "the entry of the dead client to be free");
        server.Must("close 1");
    }

    public static TheoryData<Language, Language, string> PairsAndWays
    {
        get
        {
            TheoryData<Language, Language, string> all = new();
            foreach (string way in new[] { "refused", "full", "dropped" })
            {
                foreach (Language language in Enum.GetValues<Language>())
                {
                    foreach (Language serving in Enum.GetValues<Language>())
                        all.Add(language, serving, way);
                }
            }

            return all;
        }
    }

    /// <summary>The cleaner is connected, and sees the death; the other one has stopped on its way in.</summary>
    private void KillTheServerOf(Driven cleaner, Driven client)
    {
        using Driven server = peers.New(Language.C);
        server.Must($"listen 1 {_name} max=63");
        cleaner.Begin($"connect 1 {_name} timeout=600000");
        Answer asked = server.Must("next 1 timeout=600000");
        server.Must($"accept {asked["connection"]}");
        Assert.Equal(IpcStatus.Ok, cleaner.Result().Status);
        client.Begin($"connect 1 {_name} timeout=600000");
        client.WaitUntilStopped();
        server.Kill();
    }

    private Driven Faulty(Language language, string point, string action) =>
        peers.New(language, new Dictionary<string, string> { ["IPC_FAULT"] = point, ["IPC_FAULT_ACTION"] = action });

    /// <summary>The next server finds no more than what everybody finds who comes after a death.</summary>
    private void CheckNothingLeft(Language language)
    {
        Driven next = peers.At(language, "server");
        next.Must($"listen 1 {_name} max=63");
        next.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }
}
