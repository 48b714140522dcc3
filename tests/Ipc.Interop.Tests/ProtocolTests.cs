using System;
using System.Text;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>What connections speak, and in which version: agreed on before the first record, by programs of neighbouring versions.</summary>
public sealed class ProtocolTests(Peers peers)
{
    private readonly string _name = peers.NewName("listener");

    public static TheoryData<Language, Language, string, string, int, int> Agreements
    {
        get
        {
            var data = new TheoryData<Language, Language, string, string, int, int>();
            foreach (object[] row in new object[][]
            {
                // server, client: ID.VERSION.LEAST, and the version that the server and the client take
                ["32768.3.1", "32768.2.1", 2, 2],
                ["32768.2.1", "32768.3.1", 2, 2],
                ["32768.3.2", "32768.2.2", 2, 2],
                ["32768.255.1", "32768.255.0", 255, 255],
                ["", "32768.3.2", 0, 2], // a server that says nothing
                ["32768.3.2", "", 2, 0], // a client that says nothing
                ["", "", 0, 0],
            })
            {
                foreach (Language server in new[] { Language.C, Language.CSharp })
                {
                    foreach (Language client in new[] { Language.C, Language.CSharp })
                        data.Add(server, client, (string)row[0], (string)row[1], (int)row[2], (int)row[3]);
                }
            }
            return data;
        }
    }

    public static TheoryData<Language, Language, string, string, IpcStatus, string, string> Differences
    {
        get
        {
            var data = new TheoryData<Language, Language, string, string, IpcStatus, string, string>();
            foreach (object[] row in new object[][]
            {
                ["32768.3.2", "32768.1.1", IpcStatus.WrongVersion, "(protocol 32768), versions 2 to 3", "(protocol 32768), version 1"],
                ["32768.1.1", "32768.3.2", IpcStatus.WrongVersion, "(protocol 32768), version 1", "(protocol 32768), versions 2 to 3"],
                ["2.1.1", "1.1.1", IpcStatus.WrongKind, "bytes (protocol 2), version 1", "calls (protocol 1), version 1"],
            })
            {
                foreach (Language server in new[] { Language.C, Language.CSharp })
                {
                    foreach (Language client in new[] { Language.C, Language.CSharp })
                        data.Add(server, client, (string)row[0], (string)row[1], (IpcStatus)row[2], (string)row[3], (string)row[4]);
                }
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Agreements))]
    public void TheNewestVersionThatBothHaveIsSpoken(Language server, Language client, string serves, string asks, int ofServer, int ofClient)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        service.Must($"listen 1 {_name}{Option(serves)}");
        foreach (string steps in new[] { "", " steps=1" })
        {
            caller.Begin($"connect 2 {_name} timeout=600000{Option(asks)}{steps}");
            Answer request = service.Must("next 1 timeout=600000");
            Assert.Equal(ofServer, request["version"]); // known before it accepts
            service.Must($"accept {request["connection"]}");
            Assert.Equal(IpcStatus.Ok, caller.Result().Status);
            Assert.Equal(ofClient, caller.Must("state 2")["version"]);
            caller.Must("close 2");
            service.Must($"close {request["connection"]}");
        }

        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    [Theory]
    [MemberData(nameof(Differences))]
    public void WhoHasNoneInCommonIsToldWhatBothSpeakAndAsksNobody(
        Language server, Language client, string serves, string asks, IpcStatus status, string theirs, string ours)
    {
        Driven service = peers.At(server, "server"), caller = peers.At(client, "client");
        service.Must($"listen 1 {_name}{Option(serves)}");
        foreach (string steps in new[] { "", " steps=1" })
        {
            Answer refused = caller.Do($"connect 2 {_name} timeout=600000{Option(asks)}{steps}");
            Assert.Equal(status, refused.Status);
            Assert.Contains($"speaks {theirs}, and this program {ours}: one of them has to be another", refused.Text, StringComparison.Ordinal);
        }

        Assert.Equal(IpcStatus.Timeout, service.Do("next 1 timeout=0").Status);
        caller.Begin($"connect 2 {_name} timeout=600000{Option(serves)}");
        service.Must($"close {service.Must("next 1 timeout=600000")["connection"]}");
        Assert.Equal(IpcStatus.Refused, caller.Result().Status);
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>A client that did not read what the listener says, or lies.</summary>
    [Theory]
    [InlineData(Language.C, 0x8000_0404u, "(protocol 32768), version 4")]
    [InlineData(Language.CSharp, 0x8000_0404u, "(protocol 32768), version 4")]
    [InlineData(Language.C, 0x8000_0000u, "(protocol 32768), version 0")]
    [InlineData(Language.CSharp, 0x8000_0000u, "(protocol 32768), version 0")]
    [InlineData(Language.C, 0x8001_0101u, "(protocol 32769), version 1")]
    [InlineData(Language.CSharp, 0x8001_0101u, "(protocol 32769), version 1")]
    public void ARequestForAnotherVersionIsRefused(Language server, uint word, string says)
    {
        const int Body = Wire.Region.Participants;
        Driven service = peers.At(server, "server");
        service.Must($"listen 1 {_name} protocol=32768.3.2");
        service.Begin("next 1 timeout=1000");
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            Assert.Equal(0x8000_0203u, listener[listener.Body + Wire.Listener.Protocol]);
            using FakeClient client = FakeClient.Connect(peers.Directory, _name, listener, image => image[Body + Wire.Connection.Protocol] = word);
            client.WaitForReply(accepted: false);
            string text = Encoding.UTF8.GetString(client.Region.Copy(), Body + Wire.Connection.ServerText, (int)client.Region[Body + Wire.Connection.ServerTextLength]);
            Assert.Contains(says, text, StringComparison.Ordinal);
            Assert.Contains("this server (protocol 32768), versions 2 to 3", text, StringComparison.Ordinal);
        }

        Assert.Equal(IpcStatus.Timeout, service.Result().Status);
        service.Must("close 1");
    }

    private static string Option(string protocol) => protocol.Length == 0 ? "" : $" protocol={protocol}";
}
