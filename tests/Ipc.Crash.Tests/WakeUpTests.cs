using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>No wake-up is lost: both ends sleep at every chance, and a lost one would stop the traffic until its deadline.</summary>
public sealed class WakeUpTests(Peers peers)
{
    public static TheoryData<Language, Language> Pairs => new()
    {
        { Language.CSharp, Language.CSharp },
        { Language.CSharp, Language.C },
        { Language.C, Language.CSharp },
        { Language.C, Language.C },
    };

    private static int Rounds(int some) => Switches.LongRuns ? some * 200 : some;

    /// <summary>Longer than the test waits: a wait that ends by its deadline would hide that it was never woken.</summary>
    private const int Patience = 7200000;

    /// <summary>Each waits for the other all the time: two sleeps and two wakes a round.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void EveryAnswerWakesTheOneWhoAsked(Language client, Language server)
    {
        string there = peers.NewName("there"), back = peers.NewName("back");
        Driven ping = peers.At(client, "writer"), pong = peers.At(server, "reader");
        ping.Must($"open-writer 1 {there} wait=block");
        ping.Must($"open-reader 2 {back} wait=block");
        pong.Must($"open-reader 1 {there} wait=block");
        pong.Must($"open-writer 2 {back} wait=block");
        pong.Begin($"pong 2 1 {Rounds(15000)} timeout={Patience}");
        Assert.Equal("0", Slow(ping.Begin($"ping 1 2 {Rounds(15000)} 100 timeout={Patience}")).Line);
        Assert.Equal("0", pong.Result().Line);
        foreach (Driven end in new[] { ping, pong })
        {
            end.Must("close 1");
            end.Must("close 2");
        }
    }

    /// <summary>A ring that is full or empty most of the time: the reader sleeps for records, the writer for room.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void ATinyRingNeverStandsStill(Language writer, Language reader)
    {
        foreach ((string waitOfWriter, string waitOfReader) in new[] { ("block", "block"), ("adaptive", "block"), ("block", "adaptive") })
        {
            string name = peers.NewName("tiny");
            Driven sender = peers.At(writer, "writer"), receiver = peers.At(reader, "reader");
            sender.Must($"open-writer 1 {name} capacity=4096 wait={waitOfWriter}");
            receiver.Must($"open-reader 1 {name} wait={waitOfReader}");
            receiver.Begin($"receive 1 1 {Rounds(30000)} 1500 timeout={Patience}");
            Assert.Equal("0", Slow(sender.Begin($"send 1 1 {Rounds(30000)} 1500 timeout={Patience}")).Line);
            Assert.Equal("0 redelivered=0", receiver.Result().Line);
            sender.Must("close 1");
            receiver.Must("close 1");
        }
    }

    /// <summary>The doorbell of a listener: two clients ask in turn, the server sleeps in between.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void TheDoorbellIsAlwaysHeard(Language client, Language server)
    {
        string name = peers.NewName("bell");
        Driven service = peers.At(server, "server"), one = peers.At(client, "client"), other = peers.At(client, "client2");
        service.Must($"listen 1 {name} wait=block");
        service.Begin($"serve 1 timeout={Patience}");
        one.Must($"connect 1 {name} wait=block timeout=600000");
        other.Must($"connect 1 {name} wait=block timeout=600000");
        const int Portion = 50_000; // a ping beyond 65,534 would have the type that ends the service
        int left = Rounds(8000);
        for (int portion; left > 0; left -= portion)
        {
            portion = Math.Min(left, Portion);
            one.Begin($"ping 1 1 {portion} 100 timeout={Patience}");
            Assert.Equal("0", Slow(other.Begin($"ping 1 1 {portion} 100 timeout={Patience}")).Line);
            Assert.Equal("0", Slow(one).Line);
        }

        one.Must("write 1 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, service.Result().Status);
        one.Must("close 1");
        other.Must("close 1");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>An answer that may take as long as the switch for long runs allows.</summary>
    private static Answer Slow(Driven peer)
    {
        Watchdog.Until(() => peer.HasAnswered || peer.HasExited, "the traffic to end", Switches.LongRuns ? TimeSpan.FromHours(1) : Watchdog.Patience);
        return peer.Result();
    }
}
