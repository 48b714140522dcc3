using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Messages longer than a block or half a ring, in queue, topic and ring: the same calls, no cliff, a budget that holds, nothing left.</summary>
public sealed class LoanTests(Peers peers)
{
    private const string Long = "timeout=600000";
    private static readonly int s_budget = PeerPrograms.NativeHas32Bits ? 8 << 20 : 256 << 20;
    private static readonly int s_big = PeerPrograms.NativeHas32Bits ? 7 << 20 : 100 << 20;

    public static TheoryData<string, Language, Language> Kinds
    {
        get
        {
            var data = new TheoryData<string, Language, Language>();
            foreach (string kind in new[] { "queue", "topic", "ring" })
            {
                foreach (Language one in Enum.GetValues<Language>())
                {
                    foreach (Language other in Enum.GetValues<Language>())
                        data.Add(kind, one, other);
                }
            }
            return data;
        }
    }

    /// <summary>Around the block, the page, and every size of loan up to 2 MB, and 100 MB: each arrives whole, and the pool is as new.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void EverySizeArrives(string kind, Language sender, Language receiver)
    {
        using var pair = new KindPair(peers, kind, sender, receiver, $"budget={s_budget}");
        uint seed = 1;
        foreach (int size in new[] { 0, 63, 64, 65, 2039, 2040, 2041, 4095, 4096, 4097, 8192, 65536, 65537, 1 << 20, (2 << 20) + 1, s_big })
            pair.MustPass(seed++, size);
        pair.MustPass(seed, 10);
    }

    /// <summary>A claim in a loan, committed shorter or abandoned; small messages stand between large ones, in order.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void LoansAndSmallMessagesKeepTheirOrder(string kind, Language sender, Language receiver)
    {
        using var pair = new KindPair(peers, kind, sender, receiver, "budget=1048576");
        for (int round = 0; round < 40; round++)
        {
            pair.Sender.Must($"claim 1 {(round % 2 == 0 ? 30_000 : 80)} {Long}");
            pair.Sender.Must("fill 1 3");
            if (round % 5 == 4)
            {
                pair.Sender.Must("abandon 1");
                continue;
            }
            pair.Sender.Must($"commit 1 {30 + round} {round}");
            pair.Sender.Must($"write 1 {round} {round * 100} {round + 100} {Long}");
            pair.MustRead(3, 30 + round, round);
            pair.MustRead((uint)round, round * 100, round + 100);
        }
    }

    /// <summary>The budget is a limit: full, like a full queue, until something is released; what is longer than all of it is too long.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void TheBudgetHoldsAndComesBack(string kind, Language sender, Language receiver)
    {
        using var pair = new KindPair(peers, kind, sender, receiver, "budget=65536 wait=block");
        Assert.Equal(IpcStatus.TooLarge, pair.Sender.Do("claim 1 65537").Status);
        pair.MustPass(1, 65536);
        pair.Sender.Must("write 1 1 40000 1");
        IpcStatus full = pair.Sender.Do("write 1 2 40000 2").Status;
        Assert.True(full is IpcStatus.Full or IpcStatus.Timeout, full.ToString());
        pair.Sender.Must("write 1 3 40 3"); // short ones pass
        pair.Sender.Begin($"write 1 2 40000 2 {Long}");
        pair.Sender.WaitUntilAsleep();
        Assert.False(pair.Sender.HasAnswered);
        pair.MustRead(1, 40000, 1);
        Assert.Equal(IpcStatus.Ok, pair.Sender.Result().Status);
        pair.MustRead(3, 40, 3);
        pair.MustRead(2, 40000, 2);
        for (uint n = 0; n < 50; n++)
            pair.MustPass(n, 1 + (int)(n * 1311));
    }

    /// <summary>A sender dies with a loan in its hands, a receiver while it reads one: no block is lost, none is given twice.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void TheDeadLeaveNoBlockBehind(string kind, Language sender, Language receiver)
    {
        string name = peers.NewName("loans"), options = "budget=131072";
        Driven sending = peers.At(sender, "sender"), receiving = peers.At(receiver, "receiver");
        for (int round = 0; round < 3; round++)
        {
            using (Driven dying = peers.New(sender))
            {
                KindPair.Open(kind, dying, name, sends: true, options + " lifetime=persistent");
                dying.Must("claim 1 100000");
                dying.Kill();
            }
            using (Driven dying = peers.New(receiver))
            {
                KindPair.Open(kind, dying, name, sends: false, options);
                KindPair.Open(kind, sending, name, sends: true, options);
                sending.Must($"write 1 {round} 100000 {round} {Long}");
                Assert.Equal(round, dying.Must($"read 1 {Long}")["type"]);
                dying.Kill();
            }
            KindPair.Open(kind, receiving, name, sends: false, options + (kind == "topic" ? " join=oldest" : ""));
            Answer answer = receiving.Must($"read 1 {Long}");
            Assert.Equal((round, Numbered.HashOfPattern((uint)round, 100000)), ((int)answer["type"], (uint)answer["hash"]));
            if (kind != "topic")
                Assert.Equal(1, answer["redelivered"]);
            receiving.Must("release 1");
            peers.MustBeAsNew(name, "idle");
            sending.Must("close 1");
            receiving.Must("close 1");
        }
        peers.MustBeAsNew(name, "idle");
        receiving.Must($"clear {name}");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>What others have by default takes more addresses than such a process has: it says so, and says what to do; so does whoever connects to it.</summary>
    [Fact]
    public void ABudgetThatAProcessOf32BitsHasNoAddressesForIsRefusedWithWords()
    {
        Assert.SkipUnless(PeerPrograms.NativeHas32Bits, "the peers in C have 64 bits: eng/platforms.sh linux32");
        Driven large = peers.At(Language.CSharp, "large"), small = peers.At(Language.C, "small");
        string queue = peers.NewName("queue"), server = peers.NewName("server");
        large.Must($"open-queue 1 {queue} budget=536870912");
        Answer refused = small.Do($"open-queue 1 {queue} open=existing");
        Assert.Equal(IpcStatus.NoMemory, refused.Status);
        Assert.Contains("this process of 32 bits has no", refused.Text, StringComparison.Ordinal);
        large.Must("close 1");

        small.Must($"listen 2 {server}");
        small.Begin($"serve 2 {Long}");
        refused = large.Do($"connect 2 {server} budget=536870912 {Long}");
        Assert.Equal(IpcStatus.Refused, refused.Status);
        Assert.Contains("if it is a process of 32 bits, connect with a smaller loan budget", refused.Text, StringComparison.Ordinal);
        refused = large.Do($"connect 2 {server} budget=16777216 {Long}"); // fits, and is more than such a server allows by default
        Assert.Equal(IpcStatus.Refused, refused.Status);
        Assert.Contains("this server allows 8388608", refused.Text, StringComparison.Ordinal);
        large.Must($"connect 2 {server} budget=8388608 {Long}");
        large.Must("write 2 7 20 65535");
        Assert.Equal(65535, large.Must($"read 2 {Long}")["type"]);
        small.Result();
        large.Must("close 2");
        small.Must("close 2");
        Assert.Empty(peers.Directory.FilesOf(queue));
        Assert.Empty(peers.Directory.FilesOf(server));
    }

    /// <summary>After a burst of long messages the memory goes back to the system when it is asked for.</summary>
    [Theory]
    [InlineData("queue", Language.CSharp)]
    [InlineData("queue", Language.C)]
    [InlineData("topic", Language.CSharp)]
    [InlineData("topic", Language.C)]
    [InlineData("ring", Language.CSharp)]
    [InlineData("ring", Language.C)]
    public void TrimmingGivesTheMemoryBack(string kind, Language sender)
    {
        Matrix.SkipWhenEmulated(sender, "what is advised about memory");
        using var pair = new KindPair(peers, kind, sender, Matrix.Other(sender), "budget=67108864");
        long before = peers.Directory.BlocksOf(pair.Name);
        pair.MustPass(1, 8 << 20);
        Assert.True(peers.Directory.BlocksOf(pair.Name) >= before + (8 << 20), "8 MB went through no memory at all");
        if (kind == "topic")
        {
            for (uint n = 0; n < 64; n++) // a topic keeps a message until its slot is used again
                pair.MustPass(n, 10);
        }
        pair.Sender.Must("trim 1");
        Assert.True(peers.Directory.BlocksOf(pair.Name) < before + (1 << 20), "the memory of a burst was not given back");
        pair.MustPass(2, 100_000);
    }
}
