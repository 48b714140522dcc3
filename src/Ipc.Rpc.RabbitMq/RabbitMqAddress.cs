using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Linq;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A broker, which may have several nodes, a virtual host of it, and the name of a service there.</summary>
internal sealed class RabbitMqAddress
{
    private const int LongestName = 120;

    private RabbitMqAddress(
        Uri uri, (string Host, int Port)[] nodes, string user, string password, string virtualHost, string service)
    {
        IsTls = uri.Scheme == "amqps";
        Nodes = nodes;
        User = user;
        Password = password;
        VirtualHost = virtualHost;
        Service = service;
    }

    public bool IsTls { get; }

    /// <summary>Those that a connection may go to.</summary>
    public IReadOnlyList<(string Host, int Port)> Nodes { get; }

    public string User { get; }

    public string Password { get; }

    public string VirtualHost { get; }

    public string Service { get; }

    /// <summary>Where the requests wait.</summary>
    public string WorkQueue => "ipc." + Service;

    /// <summary>Where messages are put that nobody could handle.</summary>
    public string DeadQueue => WorkQueue + ".dead";

    /// <summary>The exchange that brings cancellations to every server of the service.</summary>
    public string CancelExchange => WorkQueue + ".cancel";

    /// <summary>The broker, without the password.</summary>
    public string Broker => string.Create(
        CultureInfo.InvariantCulture,
        $"the broker {string.Join(" or ", Nodes.Select(NameOf))}, virtual host \"{VirtualHost}\", user \"{User}\"");

    /// <summary>The same for programs: HOST:PORT/VHOST, or HOST:PORT,HOST:PORT/VHOST.</summary>
    public string Place => string.Join(',', Nodes.Select(NameOf)) + "/" + Uri.EscapeDataString(VirtualHost);

    /// <summary>Whom a client calls, for texts.</summary>
    public string Peer => "the service \"" + Service + "\" at " + Broker;

    /// <exception cref="ArgumentException">It is no such address; the text does not repeat its password.</exception>
    public static RabbitMqAddress Parse(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        string[] hosts = TakeHosts(address, out string withOne);
        if (!Uri.TryCreate(withOne, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("amqp" or "amqps"))
            throw Wrong(nameof(address), "it does not begin with amqp:// or amqps://, or is no URI.");
        if (uri.Query.Length > 0 || uri.Fragment.Length > 0)
            throw Wrong(nameof(address), "it has a query or a fragment.");
        (string user, string password) = ("guest", "guest");
        if (uri.UserInfo.Length > 0)
        {
            string[] parts = uri.UserInfo.Split(':', 2);
            user = Uri.UnescapeDataString(parts[0]);
            password = parts.Length > 1 ? Uri.UnescapeDataString(parts[1]) : string.Empty;
        }

        string[] path = uri.AbsolutePath.TrimStart('/').Split('/');
        if (uri.AbsolutePath.Contains('@', StringComparison.Ordinal)) // may be the rest of a password
            throw Wrong(
                nameof(address),
                "its path has an @. A slash in a password is written as %2F, an @ in the name of a virtual host as " +
                    "%40.");
        if (path.Length > 2)
            throw Wrong(
                nameof(address),
                "its path has " + path.Length + " parts. A slash in the name of a virtual host is written as %2F.");
        string service = Uri.UnescapeDataString(path[^1]);
        if (!IsName(service))
            throw Wrong(
                nameof(address),
                "\"" + service + "\" is no name of a service: 1 to 120 of A-Z a-z 0-9 . _ - make one.");
        string virtualHost = path.Length == 2 ? Uri.UnescapeDataString(path[0]) : "/";
        return new RabbitMqAddress(
            uri, [.. hosts.Select(host => NodeOf(uri, host))], user, password, virtualHost, service);
    }

    /// <summary>The hosts of an address, with their ports, and the same address with the first of them.</summary>
    private static string[] TakeHosts(string address, out string withOne)
    {
        withOne = address;
        int scheme = address.IndexOf("://", StringComparison.Ordinal);
        if (scheme < 0)
            return [];
        int end = address.IndexOf('/', scheme + 3);
        end = end < 0 ? address.Length : end;
        int begin = Math.Max(address.LastIndexOf('@', end - 1) + 1, scheme + 3);
        string[] hosts = address[begin..end].Split(',');
        withOne = address[..begin] + hosts[0] + address[end..];
        return hosts;
    }

    private static (string Host, int Port) NodeOf(Uri uri, string host)
    {
        if (!Uri.TryCreate(uri.Scheme + "://" + host, UriKind.Absolute, out Uri? node) || node.Host.Length == 0 ||
            node.PathAndQuery.Trim('/').Length > 0 || node.Fragment.Length > 0 || node.UserInfo.Length > 0)
            throw Wrong("address", "\"" + host + "\" is no host with a port. Several are separated by commas.");
        return (node.Host, node.Port > 0 ? node.Port : uri.Scheme == "amqps" ? 5671 : 5672);
    }

    private static string NameOf((string Host, int Port) node) =>
        string.Create(CultureInfo.InvariantCulture, $"{node.Host}:{node.Port}");

    private static bool IsName([NotNullWhen(true)] string? name)
    {
        if (name is not { Length: > 0 and <= LongestName })
            return false;
        foreach (char c in name)
        {
            if (!char.IsAsciiLetterOrDigit(c) && c is not ('.' or '_' or '-'))
                return false;
        }

        return true;
    }

    private static ArgumentException Wrong(string parameter, string why) => new(
        "The address of a service at a broker is amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE; in this one, " + why,
        parameter);
}
