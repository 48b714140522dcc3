using System;

namespace Ipc.Tcp;

/// <summary>A server of another machine: <c>tcp:HOST:PORT/NAME</c>; an IPv6 host in brackets.</summary>
internal readonly struct TcpAddress
{
    private const string Scheme = "tcp:";
    private const int LongestPart = 255; // of a host by DNS; of a server's name by the file system

    private TcpAddress(string host, int port, string name)
    {
        Host = host;
        Port = port;
        Name = name;
    }

    public string Host { get; }

    public int Port { get; }

    /// <summary>Of the server, on its machine.</summary>
    public string Name { get; }

    public static TcpAddress Parse(string address)
    {
        if (address is null)
            throw new ArgumentNullException(nameof(address));
        int slash = address.LastIndexOf('/');
        int colon = slash < 0 ? -1 : address.LastIndexOf(':', slash);
        if (!address.StartsWith(Scheme, StringComparison.Ordinal) || colon <= Scheme.Length ||
            slash == address.Length - 1 || address.Length - slash - 1 > LongestPart ||
            colon - Scheme.Length > LongestPart ||
            !TryParsePort(address.AsSpan(colon + 1, slash - colon - 1), out int port))
        {
            throw new ArgumentException(
                $"\"{address}\" is no address of a server on another machine: those are tcp:HOST:PORT/NAME, such as " +
                "tcp:daemon7:5000/prices.", nameof(address));
        }

        string host = address.Substring(Scheme.Length, colon - Scheme.Length);
        if (host.Length > 2 && host[0] == '[' && host[host.Length - 1] == ']')
            host = host.Substring(1, host.Length - 2);
        return new TcpAddress(host, port, address.Substring(slash + 1));
    }

    private static bool TryParsePort(ReadOnlySpan<char> text, out int port)
    {
        port = 0;
        foreach (char digit in text)
        {
            if (digit is < '0' or > '9' || port > 65535)
                return false;
            port = 10 * port + digit - '0';
        }

        return port is > 0 and <= 65535;
    }

    public override string ToString() => Host.IndexOf(':') < 0
        ? $"{Scheme}{Host}:{Port}/{Name}"
        : $"{Scheme}[{Host}]:{Port}/{Name}";
}
