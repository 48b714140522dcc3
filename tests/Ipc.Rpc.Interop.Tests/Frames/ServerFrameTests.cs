using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>One table of what no client should send, against the servers of both languages: a typed error where the frame is one, the connection's end with a
/// reason where it is none; and nobody else notices.</summary>
public sealed class ServerFrameTests
{
    private const ulong Probe = 1UL << 40;
    private const int Cancelled = 1;

    public static TheoryData<Language, string> Rows
    {
        get
        {
            var rows = new TheoryData<Language, string>();
            foreach (ServerRow row in ServerRows.All)
            {
                rows.Add(Language.CSharp, row.Name);
                rows.Add(Language.Cpp, row.Name);
            }
            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public void AServerAnswersOrCloses(Language language, string name)
    {
        ServerRow row = ServerRows.All.Single(row => row.Name == name);
        using var server = new ServerUnderTest(language);
        using RawPeer bystander = RawPeer.Connect(server.Name);
        using (RawPeer client = RawPeer.Connect(server.Name))
        {
            var answers = new List<(ulong, int)>();
            foreach (byte[] frame in row.Sent)
            {
                client.Send(frame, row.RecordType);
                if (row.OneByOne)
                    Take(client, answers);
            }

            if (row.Closes)
                MustClose(client);
            else
                MustAnswer(client, row.Answers, answers);
        }

        MustLive(bystander);
    }

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public void APingIsAnsweredWithTheSameBytes(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        client.Send(Frame(Ping, 0, [1, 2, 3]));
        RawPeer.Frame pong = client.Receive()!;
        Assert.Equal(Pong, pong.Kind);
        Assert.Equal(0UL, pong.Call);
        Assert.Equal([1, 2, 3], pong.Body);
    }

    /// <summary>The C++ server asked the deadline first: what it answered depended on how long its handler went on after the cancel.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public void ACancelThatWasReadDecidesAlsoWhenTheDeadlineHasPassedSince(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        bool inTime = false;
        for (int attempt = 1; !inTime; attempt++) // of a machine that is busy, the server may read the request too late
        {
            Deadline until = Deadline.After(TimeSpan.FromMilliseconds(200 * attempt));
            client.Send(Ask("Sleep", (ulong)attempt, Number(2, 1), deadline: until.Nanoseconds));
            client.Send(Frame(Cancel, (ulong)attempt));
            client.Send(Frame(Ping, 0));
            RawPeer.Frame pong = client.Receive()!;
            inTime = pong.Kind == Pong && !until.HasPassed;
            RawPeer.Frame error = pong.Kind == Pong ? client.Receive()! : pong;
            Assert.Equal((Error, (ulong)attempt), (error.Kind, error.Call));
            Assert.True(!inTime || error.Code == Cancelled, $"status {error.Code}");
            if (pong.Kind != Pong)
                Assert.Equal(Pong, client.Receive()!.Kind);
        }
    }

    private static void MustClose(RawPeer client)
    {
        client.WaitUntilClosed();
        Assert.Equal(CloseCode.Protocol, client.PeerCloseCode);
        Assert.False(string.IsNullOrEmpty(client.PeerCloseText));
    }

    // All the answers that are expected, then a call: what is not expected came before its answer, or never comes.
    private static void MustAnswer(RawPeer client, IReadOnlyList<(ulong Call, int Status)> expected, List<(ulong, int)> answers)
    {
        while (answers.Count < expected.Count)
            Take(client, answers);
        client.Send(Ask("Echo", Probe, Text(1, "probe")));
        while (!answers.Contains((Probe, 0)))
            Take(client, answers);
        Assert.Equal(expected.Append((Probe, 0)), answers);
    }

    private static void Take(RawPeer client, List<(ulong, int)> answers)
    {
        RawPeer.Frame? frame = client.Receive();
        Assert.True(frame is not null, $"the server closed: {client.PeerCloseCode}, {client.PeerCloseText}");
        if (frame.Kind is Response or Error or End)
            answers.Add((frame.Call, frame.Code));
        Assert.True(frame.Kind != Error || (frame.Code != 0 && frame.Body.Length != 0), "an error says why");
    }

    private static void MustLive(RawPeer client) => MustAnswer(client, [], []);
}
