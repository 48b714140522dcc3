using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>How long rings and queues stay, and what is in them while nobody is alive: whatever the language of who sent, of who died and of who comes.</summary>
public sealed class LifetimeTests(Peers peers) : IClassFixture<Peers>
{
    public static TheoryData<string, Language, Language, bool> Ways
    {
        get
        {
            var data = new TheoryData<string, Language, Language, bool>();
            foreach (string kind in new[] { "ring", "queue" })
            {
                foreach (Language first in new[] { Language.CSharp, Language.C })
                {
                    foreach (Language second in new[] { Language.CSharp, Language.C })
                    {
                        data.Add(kind, first, second, true);
                        data.Add(kind, first, second, false);
                    }
                }
            }

            return data;
        }
    }

    /// <summary>A sender that had Ok for its messages and was killed before anybody came, or closed and went: they were deleted with the next opening, or with its own closing.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public void WhatWasCommittedWaitsWhileNobodyIsAlive(string kind, Language sender, Language receiver, bool killed)
    {
        string name = peers.NewName(kind);
        using (Driven sending = peers.New(sender))
        {
            KindPair.Open(kind, sending, name, sends: true, "budget=262144");
            sending.Must("write 1 1 10 1");
            sending.Must("write 1 2 100000 2"); // a loan
            sending.Must("claim 1 10");
            if (killed)
                sending.Kill();
            else
                sending.Must("close 1");
        }

        Assert.True(peers.Directory.Has(name));
        Driven receiving = peers.At(receiver, "receiver");
        string verb = kind == "ring" ? "open-reader" : "open-queue";
        Assert.Equal(IpcStatus.Exists, receiving.Do($"{verb} 1 {name} open=create").Status);
        receiving.Must($"{verb} 1 {name} open=existing");
        foreach ((uint seed, int length) in new[] { (1u, 10), (2u, 100000) })
        {
            Answer answer = receiving.Must("read 1");
            Assert.Equal((seed, length, Numbered.HashOfPattern(seed, length), 0), ((uint)answer["type"], (int)answer["length"], (uint)answer["hash"], (int)answer["redelivered"]));
            receiving.Must("release 1");
        }

        Assert.NotEqual(IpcStatus.Ok, receiving.Do("read 1").Status);
        receiving.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name)); // empty now, and nobody there
    }

    /// <summary>What a dead receiver held is not lost with the last living one, and comes again in the hands of whoever opens next.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatADeadReceiverHeldOutlivesTheLastOneToLeave(Language dead, Language next)
    {
        string name = peers.NewName("queue");
        Driven last = peers.At(next, "sender");
        last.Must($"open-queue 1 {name} block=64 count=16");
        last.Must("write 1 7 10 7");
        using (Driven dying = peers.New(dead))
        {
            dying.Must($"open-queue 1 {name}");
            Assert.Equal(7, dying.Must("read 1")["type"]);
            dying.Kill();
        }

        last.Must("close 1");
        Assert.True(peers.Directory.Has(name));
        last.Must($"open-queue 1 {name} open=existing");
        Answer again = last.Must("read 1");
        Assert.Equal((7, 1), ((int)again["type"], (int)again["redelivered"]));
        last.Must("release 1");
        last.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>A read ten and was killed, B read one and closed in order: C got the other nine as if nobody had ever seen them.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatADeadReaderMayHaveHandledIsFlaggedForEveryLaterReader(Language second, Language third)
    {
        string name = peers.NewName("ring");
        Driven writer = peers.At(Language.C, "sender");
        writer.Must($"open-writer 1 {name}");
        for (int i = 0; i < 10; i++)
            writer.Must($"write 1 {i} 10 {i}");
        using (Driven dying = peers.New(third))
        {
            dying.Must($"open-reader 1 {name}");
            for (int i = 0; i < 10; i++)
                dying.Must("read 1");
            dying.Kill();
        }

        for (int i = 0; i < 10; i++)
        {
            Driven reader = peers.At(i == 0 ? second : third, "receiver");
            reader.Must($"open-reader 1 {name}");
            Answer answer = reader.Must("read 1");
            Assert.Equal((i, 1), ((int)answer["type"], (int)answer["redelivered"]));
            reader.Must("release 1");
            reader.Must("close 1");
        }

        writer.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>A reader read five, released two and closed in order: the three in between may have been handled, what it never saw has not.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatAReaderLeftUnreleasedIsFlaggedToo(Language first, Language second)
    {
        string name = peers.NewName("ring");
        Driven writer = peers.At(Language.C, "sender"), leaving = peers.At(first, "reader"), next = peers.At(second, "receiver");
        writer.Must($"open-writer 1 {name}");
        for (int i = 0; i < 8; i++)
            writer.Must($"write 1 {i} 10 {i}");
        leaving.Must($"open-reader 2 {name}");
        for (int i = 0; i < 5; i++)
        {
            leaving.Must("read 2");
            if (i == 1)
                leaving.Must("release 2");
        }

        leaving.Must("close 2");
        next.Must($"open-reader 1 {name}");
        for (int i = 2; i < 8; i++)
        {
            Answer answer = next.Must("read 1");
            Assert.Equal((i, i < 5 ? 1 : 0), ((int)answer["type"], (int)answer["redelivered"]));
        }

        next.Must("release 1");
        next.Must("close 1");
        writer.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AnotherLifetimeThanThereIsIsRefusedWithBothValues(Language creator, Language asking)
    {
        foreach ((string verb, string there, string asked) in new[]
        {
            ("open-queue", "until-empty", "persistent"), ("open-queue", "persistent", "while-used"), ("open-writer", "until-empty", "while-used"),
            ("open-publisher", "while-used", "persistent"), ("open-mutex", "while-used", "persistent"),
        })
        {
            string name = peers.NewName("lifetime");
            Driven first = peers.At(creator, "sender"), second = peers.At(asking, "receiver");
            first.Must($"{verb} 1 {name} lifetime={there}");
            Answer refused = second.Do($"{(verb == "open-writer" ? "open-reader" : verb)} 1 {name} lifetime={asked}");
            Assert.True(refused.Status == IpcStatus.WrongLifetime, refused.Line);
            string words = refused.Text.Replace("_", "", System.StringComparison.Ordinal).ToUpperInvariant();
            Assert.Contains(there.Replace("-", "", System.StringComparison.Ordinal).ToUpperInvariant(), words, System.StringComparison.Ordinal);
            Assert.Contains(asked.Replace("-", "", System.StringComparison.Ordinal).ToUpperInvariant(), words, System.StringComparison.Ordinal);
            second.Must($"{(verb == "open-writer" ? "open-reader" : verb)} 1 {name}"); // no wish: as it is
            second.Must("close 1");
            first.Must("close 1");
            if (there == "persistent")
                first.Must($"clear {name}");
        }
    }
}
