using System;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Ipc.Tcp;

namespace Ipc.Tool;

/// <summary>What <c>ipc entrance</c> and <c>ipc exit</c> have in common: token, certificates, heartbeat.</summary>
internal sealed class TcpArguments
{
    private readonly Option<string?> _token = new("--token-file") { Description = "What the entrance asks for is what this file holds; both ends have the same.", HelpName = "FILE" };
    private readonly Option<string?> _certificate = new("--certificate") { Description = "TLS: this end's certificate with its key, in one PEM file.", HelpName = "FILE" };
    private readonly Option<string?> _trust = new("--trust") { Description = "TLS: certificates in a PEM file, of which the other end has to have one, or one that was signed by one.", HelpName = "FILE" };
    private readonly Option<double> _alive = new("--alive") { Description = "Seconds between two signs of life; after three without one the way is taken for lost.", HelpName = "SECONDS", DefaultValueFactory = static _ => 2 };

    public TcpArguments() => CommonOptions.Require(_alive, static value => value is >= 0.01 and <= 3600, "--alive is 0.01 to 3600 seconds.");

    public void AddTo(Command command)
    {
        command.Options.Add(_token);
        command.Options.Add(_certificate);
        command.Options.Add(_trust);
        command.Options.Add(_alive);
    }

    public void Set(TcpOptions options, ParseResult parsed, bool isServer)
    {
        if (parsed.GetValue(_token) is { } token)
            options.Token = Trimmed(File.ReadAllBytes(token)) is { Length: > 0 } secret ? secret : throw new ToolException(ExitCode.Usage, $"{token} is empty: a token has at least one byte.");
        options.Alive = TimeSpan.FromSeconds(parsed.GetValue(_alive));
        string? certificate = parsed.GetValue(_certificate), trust = parsed.GetValue(_trust);
        if (certificate is null && trust is null)
            return;
        if (isServer && certificate is null)
            throw new ToolException(ExitCode.Usage, "an entrance with TLS has a certificate: --certificate FILE.");
        options.Tls = new TcpTls
        {
            Certificate = certificate is null ? null : X509Certificate2.CreateFromPemFile(certificate),
            RequiresClientCertificate = isServer && trust is not null,
            Validate = trust is null ? null : Trusting(trust),
        };
    }

    /// <summary>A line's end belongs to the file, not to the token.</summary>
    private static byte[] Trimmed(byte[] bytes) => [.. bytes.Reverse().SkipWhile(static one => one is (byte)'\n' or (byte)'\r').Reverse()];

    private static RemoteCertificateValidationCallback Trusting(string file)
    {
        var roots = new X509Certificate2Collection();
        roots.ImportFromPemFile(file);
        return (_, certificate, _, errors) =>
        {
            if (certificate is null)
                return false;
            using var other = new X509Certificate2(certificate);
            if (roots.Any(root => root.RawData.AsSpan().SequenceEqual(other.RawData)))
                return true; // that one itself, whatever host it is for
            using var chain = new X509Chain();
            chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            chain.ChainPolicy.CustomTrustStore.AddRange(roots);
            chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
            return (errors & SslPolicyErrors.RemoteCertificateNameMismatch) == 0 && chain.Build(other);
        };
    }
}
