using System;
using System.Globalization;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A queue between two languages: what each sender sends is received once, in its order, whole, however it grows and whoever dies.</summary>
public sealed class QueueTests(Peers peers)
{
    private const string Long = "timeout=600000";

    /// <summary>The creator chooses; who attaches reads it from the segment, whatever it asked for.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheGeometryIsTheCreators(Language creator, Language other)
    {
        using var queue = new QueuePair(peers, creator, other, "block=100 count=50 expansions=2 participants=5", "block=4000 count=8 expansions=9");
        foreach (Driven end in new[] { queue.One, queue.Other })
        {
            Answer info = end.Must("info 1");
            Assert.Equal((104, 64, 1, 3, 5, 2), ((int)info["block"], (int)info["count"], (int)info["segments"], (int)info["limit"], (int)info["capacity"], (int)info["participants"]));
        }
    }

    public static TheoryData<Language, Language, int, int> Crowds
    {
        get
        {
            var data = new TheoryData<Language, Language, int, int>();
            foreach ((int senders, int receivers) in new[] { (1, 1), (1, 8), (8, 1), (2, 3), (4, 4), (8, 8) })
            {
                foreach (Language one in Enum.GetValues<Language>())
                {
                    foreach (Language other in Enum.GetValues<Language>())
                        data.Add(one, other, senders, receivers);
                }
            }
            return data;
        }
    }

    /// <summary>Contents and the order of each sender are checked by the receivers; the sum over all of them says that each number came once.</summary>
    [Theory]
    [MemberData(nameof(Crowds))]
    public void EachMessageIsReceivedOnce(Language sender, Language receiver, int senders, int receivers)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=128 count=64 expansions=2");
        queue.MustPassStreams(senders, receivers, count: 3000 / senders, max: 128);
    }

    /// <summary>Senders and receivers of both languages at one queue, blocks and loans mixed.</summary>
    [Theory]
    [InlineData("adaptive")]
    [InlineData("block")]
    [InlineData("spin")]
    public void BothLanguagesMixAtBothEnds(string wait)
    {
        const int Count = 400, Max = 64 << 10;
        string name = peers.NewName("queue"), options = $"block=1024 count=32 expansions=3 distance=4 wait={wait}";
        Driven[] senders = [peers.At(Language.C, "sender"), peers.At(Language.CSharp, "sender")];
        Driven[] receivers = [peers.At(Language.C, "receiver"), peers.At(Language.CSharp, "receiver")];
        foreach (Driven end in new[] { senders[0], receivers[0], senders[1], receivers[1] })
            end.Must($"open-queue 1 {name} {options}");
        foreach (Driven receiver in receivers)
            receiver.Begin($"collect 1 {Max} threads=2 {Long}");
        for (int i = 0; i < senders.Length; i++)
            senders[i].Begin($"stream 1 {i * 4} {Count} {Max} threads=4 {Long}");
        foreach (Driven sender in senders)
            Assert.Equal(IpcStatus.Ok, sender.Result().Status);
        uint sum = 0;
        long count = 0;
        for (int end = 0; end < 4; end++)
            senders[0].Must($"write 1 0 0 65535 {Long}");
        foreach (Driven receiver in receivers)
        {
            Answer answer = receiver.Result();
            Assert.True(answer.Status == IpcStatus.Ok && answer["redelivered"] == 0, answer.Line);
            sum += (uint)answer["sum"];
            count += answer["count"];
        }
        Assert.Equal((8 * Count, Numbered.SumOfStreams(0, 8, Count)), (count, sum));
        peers.MustBeAsNew(name, "empty");
        foreach (Driven end in new[] { senders[0], receivers[0], senders[1], receivers[1] })
            end.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>Every segment, then full: not one message more, and all of them arrive in order, whoever made the segments.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ItGrowsToItsMaximumAndNoFurther(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=16 expansions=3");
        for (int round = 0; round < 3; round++) // the segments of the first round are used again
        {
            for (int n = 0; n < 64; n++)
                queue.One.Must($"write 1 {n} 40 {n}");
            Assert.Equal(IpcStatus.Full, queue.One.Do("claim 1 40").Status);
            Assert.Equal(4, queue.One.Must("info 1")["segments"]);
            for (int n = 0; n < 64; n++)
                queue.MustRead((uint)n, 40, n);
            Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
        }
    }

    /// <summary>The next segment is there before it is needed, when the free blocks fall to the distance.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASegmentIsPreparedAtTheDistance(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=64 expansions=2 distance=32");
        for (int n = 0; n < 16; n++)
            queue.One.Must($"write 1 {n} 40 {n}");
        Assert.Equal(1, queue.Other.Must("info 1")["segments"]);
        for (int n = 16; n < 60; n++) // it looks once in an eighth of the blocks
            queue.One.Must($"write 1 {n} 40 {n}");
        Assert.Equal(2, queue.Other.Must("info 1")["segments"]);
        for (int n = 0; n < 60; n++)
            queue.MustRead((uint)n, 40, n);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void PreallocatedSegmentsAreThereFromTheStart(Language creator, Language other)
    {
        using var queue = new QueuePair(peers, creator, other, "block=64 count=16 expansions=3 preallocate=1");
        Assert.Equal(4, queue.Other.Must("info 1")["segments"]);
        for (int n = 0; n < 64; n++)
            queue.One.Must($"write 1 {n} 40 {n}");
        for (int n = 0; n < 64; n++)
            queue.MustRead((uint)n, 40, n);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TooLongIsRefusedWithNumbersAndTheQueueGoesOn(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=256 count=16 budget=none");
        Answer answer = queue.One.Do("claim 1 257");
        Assert.Equal(IpcStatus.TooLarge, answer.Status);
        Assert.Contains("257", answer.Text, StringComparison.Ordinal);
        Assert.Contains("256", answer.Text, StringComparison.Ordinal);
        Assert.Equal(IpcStatus.TooLarge, queue.One.Do($"write 1 1 100000 1 {Long}").Status);
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
        foreach (int length in new[] { 0, 1, 255, 256 })
        {
            queue.One.Must($"write 1 {length} {length} 3");
            queue.MustRead((uint)length, length, 3);
        }
    }

    /// <summary>A claim in place: filled, shortened, committed by the one, released by the other; abandoned ones leave no trace.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ClaimsAreFilledInPlaceOrAbandoned(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=256 count=4");
        for (uint round = 0; round < 20; round++)
        {
            queue.One.Must("claim 1 200");
            Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
            queue.One.Must($"fill 1 {round}");
            if (round % 3 == 2)
            {
                queue.One.Must("abandon 1");
                Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
                continue;
            }
            queue.One.Must($"commit 1 150 {round}");
            queue.MustRead(round, 150, (int)round);
        }
    }

    /// <summary>Claims that are abandoned while nobody receives leave slots many laps ahead of the head: nothing to receive, and no damage.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ClaimsAbandonedInCirclesLeaveAnEmptyQueue(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=2");
        queue.One.Must("circle 1 80000");
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
        for (int n = 0; n < 5; n++)
        {
            queue.One.Must($"write 1 {n} 8 {n}");
            queue.MustRead((uint)n, 8, n);
        }
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
    }

    /// <summary>Blocks are released in any order, by whoever received them; a full queue has room again for each.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AFullQueueWakesItsSenderForEachRelease(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=4 wait=block");
        for (int n = 0; n < 4; n++)
            queue.One.Must($"write 1 {n} 10 {n}");
        for (int n = 0; n < 4; n++)
            Assert.Equal(n, queue.Other.Must("read 1")["type"]);
        for (int n = 4; n < 8; n++)
        {
            queue.One.Begin($"write 1 {n} 10 {n} {Long}");
            queue.One.WaitUntilAsleep();
            Assert.False(queue.One.HasAnswered);
            queue.Other.Must("release 1");
            Assert.Equal(IpcStatus.Ok, queue.One.Result().Status);
        }
        for (int n = 4; n < 8; n++)
            queue.MustRead((uint)n, 10, n);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WaitsEndAtTheirDeadlineAndWhenStopped(Language sender, Language receiver)
    {
        using var queue = new QueuePair(peers, sender, receiver, "block=64 count=2");
        Assert.Equal(IpcStatus.Empty, queue.Other.Do("read 1").Status);
        Assert.Equal(IpcStatus.Timeout, queue.Other.Do("read 1 timeout=30").Status);
        Assert.Equal(IpcStatus.Timeout, queue.Other.Do("wait 1 timeout=30").Status);
        queue.Other.Must("stop 1");
        Assert.Equal(IpcStatus.Stopped, queue.Other.Do($"read 1 {Long}").Status);
        Assert.Equal(IpcStatus.Stopped, queue.Other.Do($"wait 1 {Long}").Status);
        queue.Other.Must("resume 1");
        queue.One.Must("write 1 1 10 1");
        Assert.Equal(IpcStatus.Ok, queue.Other.Do($"wait 1 {Long}").Status);
        queue.MustRead(1, 10, 1);
        queue.One.Must("write 1 1 10 1");
        queue.One.Must("write 1 2 10 2");
        Assert.Equal(IpcStatus.Timeout, queue.One.Do("claim 1 10 timeout=30").Status);
        queue.One.Must("stop 1");
        Assert.Equal(IpcStatus.Stopped, queue.One.Do($"write 1 3 10 3 {Long}").Status);
        queue.One.Must("resume 1");
        queue.MustRead(1, 10, 1);
        queue.MustRead(2, 10, 2);
    }

    /// <summary>Any object sends and receives.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void BothEndsSendAndReceive(Language one, Language other)
    {
        using var queue = new QueuePair(peers, one, other, "block=64 count=16");
        queue.One.Must("write 1 1 10 1");
        queue.Other.Must("write 1 2 10 2");
        Assert.Equal(1, queue.Other.Must("read 1")["type"]);
        Assert.Equal(2, queue.One.Must("read 1")["type"]);
        queue.One.Must("release 1");
        queue.Other.Must("release 1");
    }
}
