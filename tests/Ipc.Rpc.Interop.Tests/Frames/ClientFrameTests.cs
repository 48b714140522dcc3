using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>One table of what no server should send, against the clients of both languages: the call ends with a typed error, and the next one works where the
/// connection could go on.</summary>
public sealed class ClientFrameTests
{
    public static TheoryData<Language, string> Rows
    {
        get
        {
            var rows = new TheoryData<Language, string>();
            foreach (ClientRow row in ClientRows.All)
            {
                rows.Add(Language.CSharp, row.Name);
                rows.Add(Language.Cpp, row.Name);
            }
            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task AClientEndsTheCallOrTheConnection(Language language, string name)
    {
        ClientRow row = ClientRows.All.Single(row => row.Name == name);
        string server = Repository.NewName();
        using Listener listener = Listener.Open(server);
        Task<(string Ended, string Then)> probing = ClientUnderTest.Probe(language, server, row.Shape);
        using RawPeer client = RawPeer.Accept(listener);
        RawPeer.Frame request = client.Receive()!;
        Assert.Equal(Request, request.Kind);
        foreach (byte[] frame in row.Sent(request.Call))
            client.Send(frame, row.RecordType);

        List<(byte, ushort)> back = AnswerUntilClosed(client);
        (string ended, string then) = await probing.WaitAsync(Repository.Watchdog);
        string[] parts = ended.Split(' ');
        Assert.Equal(row.Ended.ToString(), parts[0]);
        if (row.Items >= 0)
            Assert.Equal($"{row.Items} items", parts[1] + " items");
        if (row.Closes)
        {
            Assert.Equal(CloseCode.Protocol, client.PeerCloseCode);
            Assert.NotEqual("Ok", then);
        }
        else
        {
            Assert.Equal(CloseCode.Normal, client.PeerCloseCode);
            Assert.Equal("Ok", then);
            Assert.Equal(row.Back, back);
        }
    }

    /// <summary>Answers the echo that comes after the call, until the client goes; what else it had to say.</summary>
    private static List<(byte Kind, ushort Code)> AnswerUntilClosed(RawPeer client)
    {
        var back = new List<(byte, ushort)>();
        while (client.Receive() is { } frame)
        {
            if (frame.Kind == Request)
                client.Send(Frame(Response, frame.Call, Text(1, "then")));
            else if (frame.Kind is not (Item or End or Credit or Read))
                back.Add((frame.Kind, frame.Code));
        }
        return back;
    }
}
