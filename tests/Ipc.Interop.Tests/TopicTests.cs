using System;
using System.Globalization;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A topic between two languages: every reader gets every message, in order, as its policy says; readers come, go, lag and die.</summary>
public sealed class TopicTests(Peers peers)
{
    private const string Long = "timeout=600000";

    public static TheoryData<Language, Language, int, int> Crowds
    {
        get
        {
            var data = new TheoryData<Language, Language, int, int>();
            foreach ((int writers, int readers) in new[] { (1, 1), (1, 4), (4, 1), (4, 4) })
            {
                foreach (Language one in Enum.GetValues<Language>())
                {
                    foreach (Language other in Enum.GetValues<Language>())
                        data.Add(one, other, writers, readers);
                }
            }
            return data;
        }
    }

    /// <summary>Each of the readers, half of them in the other language, gets each number of each writer once and in order.</summary>
    [Theory]
    [MemberData(nameof(Crowds))]
    public void EveryReaderGetsEverythingInOrder(Language writer, Language reader, int writers, int readers)
    {
        int count = 2000 / writers;
        string name = peers.NewName("topic");
        Driven[] sending = [.. Enumerable.Range(0, writers).Select(i => peers.At(i % 2 == 0 ? writer : reader, $"writer{i}"))];
        Driven[] reading = [.. Enumerable.Range(0, readers).Select(i => peers.At(i % 2 == 0 ? reader : writer, $"reader{i}"))];
        foreach (Driven end in reading)
            end.Must($"open-subscriber 1 {name} block=128 count=64");
        foreach (Driven end in sending)
            end.Must($"open-publisher 1 {name} open=existing");
        sending[0].Must($"wait-readers 1 {readers} {Long}");
        foreach (Driven end in reading)
            end.Begin($"collect 1 300 {writers} {Long}");
        for (int i = 0; i < writers; i++)
            sending[i].Begin($"stream 1 {i} {count} 300 {Long}").Begin($"write 1 0 0 65535 {Long}");
        foreach (Driven end in sending)
        {
            Assert.Equal(IpcStatus.Ok, end.Result().Status);
            Assert.Equal(IpcStatus.Ok, end.Result().Status);
        }
        foreach (Driven end in reading)
        {
            Answer answer = end.Result();
            Assert.True(answer.Status == IpcStatus.Ok, answer.Line);
            Assert.Equal((writers * count, 0, 0, Numbered.SumOfStreams(0, writers, count)),
                ((int)answer["count"], (int)answer["missing"], (int)answer["lost"], (uint)answer["sum"]));
        }
        peers.MustBeAsNew(name, "idle");
        foreach (Driven end in (Driven[])[.. sending, .. reading])
            end.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ALateReaderBeginsWhereItAsked(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=8 readers=8", "");
        for (int n = 1; n <= 5; n++)
        {
            topic.MustWrite((uint)n, 20, n);
            topic.MustRead((uint)n, 20, n);
        }
        Driven late = peers.At(Matrix.Other(reader), "late");
        late.Must($"open-subscriber 1 {topic.Name} open=existing join=newest");
        late.Must($"open-subscriber 2 {topic.Name} open=existing join=oldest");
        late.Must($"open-subscriber 3 {topic.Name} open=existing join=last");
        Assert.Equal(IpcStatus.Empty, late.Do("read 1").Status);
        topic.MustWrite(6, 20, 6);
        Assert.Equal(6, late.Must($"read 1 {Long}")["type"]);
        for (int n = 1; n <= 6; n++)
            Assert.Equal(n, late.Must($"read 2 {Long}")["type"]);
        Assert.Equal(5, late.Must($"read 3 {Long}")["type"]);
        Assert.Equal(6, late.Must($"read 3 {Long}")["type"]);
        topic.MustRead(6, 20, 6);
        for (int id = 1; id <= 3; id++)
            late.Must($"close {id}");
    }

    /// <summary>A reliable reader that does not release holds the writer up; the error names it, and nothing is lost.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AReliableReaderHoldsTheWriterUpAndIsNamed(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=8 wait=block", "policy=reliable wait=block");
        for (int n = 0; n < 8; n++)
            topic.MustWrite((uint)n, 20, n);
        foreach ((string wait, IpcStatus expected) in new[] { ("", IpcStatus.Full), ("timeout=30", IpcStatus.Timeout) })
        {
            Answer refused = topic.Writer.Do($"write 1 9 20 9 {wait}".TrimEnd());
            Assert.True(refused.Status == expected || refused.Status == IpcStatus.Timeout, refused.Line);
            Assert.Contains(topic.Reader.ProcessId.ToString(CultureInfo.InvariantCulture), refused.Text, StringComparison.Ordinal);
        }
        topic.Writer.Begin($"write 1 8 20 8 {Long}");
        topic.Writer.WaitUntilAsleep();
        Assert.False(topic.Writer.HasAnswered);
        topic.MustRead(0, 20, 0);
        Assert.Equal(IpcStatus.Ok, topic.Writer.Result().Status);
        for (int n = 1; n <= 8; n++)
            topic.MustRead((uint)n, 20, n);
    }

    /// <summary>Its death lets a sleeping writer go on, at once.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ADeadReaderHoldsUpNobody(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=8 wait=block", "policy=lossy");
        using (Driven dying = peers.New(reader))
        {
            dying.Must($"open-subscriber 1 {topic.Name} open=existing policy=reliable");
            for (int n = 0; n < 8; n++)
                topic.MustWrite((uint)n, 20, n);
            Assert.Equal(0, dying.Must("read 1")["type"]);
            topic.Writer.Begin($"write 1 8 20 8 {Long}");
            topic.Writer.WaitUntilAsleep();
            Assert.False(topic.Writer.HasAnswered);
            dying.Kill();
        }
        Assert.Equal(IpcStatus.Ok, topic.Writer.Result().Status);
    }

    /// <summary>A stopped reliable reader is alive: the writer waits for it, and it has lost nothing.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AStoppedReliableReaderLosesNothing(Language writer, Language reader)
    {
        string name = peers.NewName("topic");
        Driven sending = peers.At(writer, "writer0");
        using Driven stopped = peers.New(reader);
        stopped.Must($"open-subscriber 1 {name} block=64 count=8");
        sending.Must($"open-publisher 1 {name} open=existing");
        stopped.Stop();
        for (int n = 0; n < 8; n++)
            sending.Must($"write 1 {n} 20 {n}");
        Assert.Equal(IpcStatus.Timeout, sending.Do("write 1 8 20 8 timeout=200").Status);
        stopped.Continue();
        for (int n = 0; n < 8; n++)
        {
            Assert.Equal(n, stopped.Must($"read 1 {Long}")["type"]);
            stopped.Must("release 1");
        }
        sending.Must($"write 1 8 20 8 {Long}");
        Assert.Equal(8, stopped.Must($"read 1 {Long}")["type"]);
        stopped.Must("close 1");
        sending.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>A slow reader of policy Evict is cut off at the writer's deadline, is told so, and joins again.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ASlowReaderIsEvictedAndJoinsAgain(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=8", "policy=evict");
        topic.MustWrite(0, 20, 0);
        Assert.Equal(0, topic.Reader.Must($"read 1 {Long}")["type"]);
        for (int n = 1; n < 8; n++)
            topic.MustWrite((uint)n, 20, n);
        topic.Writer.Must("write 1 8 20 8 timeout=50"); // at its deadline the reader is cut off, and the message is sent
        Assert.Equal(1, topic.Writer.Must("info 1")["evictions"]);
        Assert.Equal(IpcStatus.Evicted, topic.Reader.Do("release 1").Status);
        Assert.Equal(IpcStatus.Evicted, topic.Reader.Do("read 1").Status);
        topic.Reader.Must("rejoin 1 newest");
        Assert.Equal(IpcStatus.Empty, topic.Reader.Do("read 1").Status);
        topic.MustWrite(9, 20, 9);
        topic.MustRead(9, 20, 9);
    }

    /// <summary>Writers never wait for a lossy reader, and it is told exactly how many messages it missed.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ALossyReaderIsToldWhatItLost(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=16", "policy=lossy");
        for (int n = 0; n < 100; n++)
            topic.MustWrite((uint)n, 20, n);
        Answer first = topic.Reader.Must($"read 1 {Long}");
        Assert.True(first["lost"] >= 84, first.Line); // at least all that is no longer there
        Assert.Equal(first["type"], first["lost"]);
        for (int n = (int)first["type"] + 1; n < 100; n++)
        {
            Answer next = topic.Reader.Must($"read 1 {Long}");
            Assert.Equal((n, 0), ((int)next["type"], (int)next["lost"]));
            Assert.Equal(Numbered.HashOfPattern((uint)n, 20), (uint)next["hash"]);
        }
        Assert.Equal(IpcStatus.Empty, topic.Reader.Do("read 1").Status);
        Assert.Equal(first["lost"], topic.Reader.Must("info 1")["lost"]);
    }

    /// <summary>Of each key only the newest, in the order of the keys' first unread message; those passed over are counted.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheLatestOfEachKeyIsDelivered(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=32", "policy=latest");
        int[] keys = [5, 3, 5, 9, 3, 5];
        for (int n = 0; n < keys.Length; n++)
            topic.Writer.Must($"write 1 {n} 20 {n} key={keys[n]}");
        foreach ((int key, int newest, int passed) in new[] { (5, 5, 2), (3, 4, 1), (9, 3, 0) })
        {
            Answer message = topic.Reader.Must($"read 1 {Long}");
            Assert.Equal((key, newest, passed), ((int)message["key"], (int)message["type"], (int)message["lost"]));
        }
        Assert.Equal(IpcStatus.Empty, topic.Reader.Do("read 1").Status);
        Assert.Equal(0, topic.Reader.Must("info 1")["lost"]);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void OwnMessagesAreIgnoredOnRequest(Language one, Language other)
    {
        using var topic = new TopicPair(peers, one, other, "block=64 count=16", "");
        Driven own = peers.At(other, "own");
        own.Must($"open-publisher 1 {topic.Name} open=existing");
        own.Must($"open-subscriber 2 {topic.Name} open=existing ignore=1");
        own.Must("write 1 1 20 1");
        topic.MustWrite(2, 20, 2);
        own.Must("write 1 3 20 3");
        Assert.Equal(2, own.Must($"read 2 {Long}")["type"]);
        Assert.Equal(IpcStatus.Empty, own.Do("read 2").Status);
        for (uint n = 1; n <= 3; n++)
            topic.MustRead(n, 20, (int)n);
        own.Must("close 2");
        own.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ClaimsAreFilledInPlaceOrAbandoned(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=256 count=4", "");
        for (uint round = 0; round < 20; round++)
        {
            topic.Writer.Must($"claim 1 200 {Long}");
            topic.Writer.Must($"fill 1 {round}");
            Assert.Equal(IpcStatus.Empty, topic.Reader.Do("read 1").Status);
            topic.Writer.Must(round % 3 == 2 ? "abandon 1" : $"commit 1 150 {round} key={round}");
            if (round % 3 != 2)
                topic.MustRead(round, 150, (int)round);
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheWriterWaitsForItsReaders(Language writer, Language reader)
    {
        string name = peers.NewName("topic");
        Driven sending = peers.At(writer, "writer0"), first = peers.At(reader, "reader0"), second = peers.At(Matrix.Other(reader), "reader1");
        sending.Must($"open-publisher 1 {name} block=64 count=16");
        Assert.Equal(IpcStatus.Timeout, sending.Do("wait-readers 1 1 timeout=30").Status);
        sending.Begin($"wait-readers 1 2 {Long}");
        first.Must($"open-subscriber 1 {name} open=existing");
        sending.WaitUntilAsleep();
        Assert.False(sending.HasAnswered);
        second.Must($"open-subscriber 1 {name} open=existing");
        Assert.Equal(IpcStatus.Ok, sending.Result().Status);
        foreach (Driven end in new[] { sending, first, second })
        {
            Assert.Equal((2, 1), ((int)end.Must("info 1")["readers"], (int)end.Must("info 1")["writers"]));
        }
        second.Must("close 1");
        Assert.Equal(1, sending.Must("info 1")["readers"]);
        first.Must("close 1");
        sending.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WaitsEndAtTheirDeadlineAndWhenStopped(Language writer, Language reader)
    {
        using var topic = new TopicPair(peers, writer, reader, "block=64 count=2", "");
        Assert.Equal(IpcStatus.Timeout, topic.Reader.Do("read 1 timeout=30").Status);
        Assert.Equal(IpcStatus.Timeout, topic.Reader.Do("wait 1 timeout=30").Status);
        topic.Reader.Must("stop 1");
        Assert.Equal(IpcStatus.Stopped, topic.Reader.Do($"read 1 {Long}").Status);
        topic.Reader.Must("resume 1");
        topic.MustWrite(1, 20, 1);
        Assert.Equal(IpcStatus.Ok, topic.Reader.Do($"wait 1 {Long}").Status);
        topic.MustRead(1, 20, 1);
        topic.MustWrite(2, 20, 2);
        topic.MustWrite(3, 20, 3);
        topic.Writer.Must("stop 1");
        Assert.Equal(IpcStatus.Stopped, topic.Writer.Do($"claim 1 20 {Long}").Status);
        topic.Writer.Must("resume 1");
        topic.MustRead(2, 20, 2);
        topic.MustRead(3, 20, 3);
    }
}
