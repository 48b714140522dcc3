using System;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

public sealed class TlsTests : TcpTest
{
    private static readonly X509Certificate2 s_server = Certificate("daemon7"), s_client = Certificate("desk4");

    public TlsTests() => LeavesFiles = true;

    private static X509Certificate2 Certificate(string name)
    {
        using RSA key = RSA.Create(2048);
        CertificateRequest request = new("CN=" + name, key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.Now.AddDays(-1), DateTimeOffset.Now.AddDays(1));
        return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pfx), null);
    }

    /// <summary>Each knows the other one.</summary>
    internal static void Secure(TcpEntranceOptions entrance, TcpExitOptions exit)
    {
        entrance.Tls = Trusting(s_client, s_server);
        exit.Tls = Trusting(s_server, s_client);
    }

    private static TcpTls Trusting(X509Certificate2 whom, X509Certificate2? own) => new()
    {
        Certificate = own,
        RequiresClientCertificate = own == s_server,
        Validate = (_, certificate, _, _) => certificate is not null && certificate.GetCertHashString() == whom.GetCertHashString(),
    };

    [Fact]
    public void BothSidesKnowEachOtherByTheirCertificates()
    {
        using EchoServer server = new("there");
        Secure(EntranceOptions, ExitOptions);
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        for (int i = 0; i < 100; i++)
            Assert.Equal("hi", Echo(client, "hi"));
        byte[] bytes = new byte[3_000_000];
        new Random(3).NextBytes(bytes);
        Assert.Equal(IpcStatus.Ok, client.Writer.Write(bytes, 1, Hang));
        Assert.Equal(IpcStatus.Ok, client.Reader.Read(out RingRecord record, Hang));
        Assert.True(record.Payload.SequenceEqual(bytes));
        client.Reader.Release();
    }

    [Fact]
    public void NamedConnectionsGoThroughTls()
    {
        using NamedServer server = new("there");
        EntranceOptions.Tls = Trusting(s_client, s_server);
        ExitOptions.Tls = Trusting(s_server, s_client);
        Own(TcpExit.OpenNamed("here", AddressOf(OpenEntrance()), ExitOptions));
        using NamedConnection client = NamedConnection.Open("here", "trader");
        for (int i = 1; i <= 100; i++)
        {
            client.Send(NamedServer.Bytes(i));
            Assert.Equal(IpcStatus.Ok, client.Receive(out NamedMessage message, Hang));
            Assert.Equal(i, message.Sequence);
            client.Acknowledge();
        }
    }

    [Fact]
    public void AStrangersCertificateIsNoReasonToGoOn()
    {
        using EchoServer server = new("there");
        EntranceOptions.Tls = Trusting(s_client, s_server);
        TcpEntrance entrance = OpenEntrance();
        ExitOptions.Tls = Trusting(s_client, s_client); // it expects another server
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        Assert.Contains("TLS", Fails(IpcStatus.PeerClosed, () => Connect().Dispose()).Message, StringComparison.Ordinal);
        Own(TcpExit.Open("here2", AddressOf(entrance), new TcpExitOptions { Tls = Trusting(s_server, null) })); // it has none
        Fails(IpcStatus.PeerClosed, () => Connect("here2").Dispose());
        Own(TcpExit.Open("here3", AddressOf(entrance), new TcpExitOptions { Tls = new TcpTls { Certificate = s_client } })); // nobody vouches for the server
        Assert.Contains("TLS", Fails(IpcStatus.PeerClosed, () => Connect("here3").Dispose()).Message, StringComparison.Ordinal);
        Own(TcpExit.Open("here4", AddressOf(entrance))); // without TLS
        Fails(IpcStatus.PeerClosed, () => Connect("here4").Dispose());
        Assert.Equal(0, server.Listener.Count);
    }
}
