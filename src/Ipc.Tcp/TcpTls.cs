using System.IO;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ipc.Tcp;

/// <summary>TLS as System.Net.Security has it.</summary>
public sealed class TcpTls
{
    /// <summary>This end's certificate with its key: an entrance has one, an exit where the entrance asks for
    /// it.</summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>The name that the entrance's certificate is for. Default: the host of the address.</summary>
    public string? ServerName { get; set; }

    /// <summary>Of an entrance: whether an exit without a certificate is turned away.</summary>
    public bool RequiresClientCertificate { get; set; }

    /// <summary>Judges the other end's certificate, on the thread that connects. Null: as the system does.</summary>
    public RemoteCertificateValidationCallback? Validate { get; set; }

    internal Stream AsServer(NetworkStream stream)
    {
        SslStream tls = new(stream, leaveInnerStreamOpen: false, JudgeClient);
        tls.AuthenticateAsServer(
            Certificate ?? throw new AuthenticationException("An entrance with TLS has a certificate."),
            RequiresClientCertificate, SslProtocols.None, checkCertificateRevocation: false);
        return tls;
    }

    internal Stream AsClient(NetworkStream stream, string host)
    {
        SslStream tls = new(stream, leaveInnerStreamOpen: false, Validate);
        tls.AuthenticateAsClient(
            ServerName ?? host,
            Certificate is null ? new X509CertificateCollection() : new X509CertificateCollection { Certificate },
            SslProtocols.None, checkCertificateRevocation: false);
        return tls;
    }

    /// <summary>None is right where none is asked for.</summary>
    private bool JudgeClient(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (certificate is null)
            return !RequiresClientCertificate;
        return Validate?.Invoke(sender, certificate, chain, errors) ?? errors == SslPolicyErrors.None;
    }
}
