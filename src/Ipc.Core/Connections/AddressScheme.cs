using System;
using System.Collections.Concurrent;

namespace Ipc;

/// <summary>Addresses in the place of names: of servers that are reached by another way than this machine's shared
/// memory.</summary>
/// <remarks>An address is <c>SCHEME:REST</c>; a name has no colon. It may stand wherever a client names its server:
/// <see cref="Connection.Connect"/> and its relatives, <see cref="NamedConnection.Open"/>, and what is built on them
/// (calls, pipes). <c>ipc:NAME</c> is the name itself. A package that knows a way registers its scheme, as
/// <c>Ipc.Tcp</c> does for <c>tcp:</c>.</remarks>
public static class AddressScheme
{
    private const string OfNames = "ipc";

    private static readonly ConcurrentDictionary<string, Func<string, string?, string>> s_schemes =
        new(StringComparer.Ordinal);

    /// <summary>Says what leads to the addresses of a scheme, from now on, instead of what was said before.</summary>
    /// <param name="scheme">What stands before the colon; not <c>ipc</c>.</param>
    /// <param name="open">Gets the address, and the client's name for a named connection, null for any other. It
    /// returns the name of a server here that leads there. It is called each time somebody connects, also again, on the
    /// thread that does, from several at once; a client of calls keeps its other calls waiting meanwhile. A named
    /// connection is under its login's lock then, must not be used there, and takes the same name each time only. The
    /// time that it takes is not part of a deadline. What it throws ends that connecting with
    /// <see cref="IpcStatus.SystemError"/>, unless it is an <see cref="IpcException"/>.</param>
    /// <exception cref="ArgumentException">That is no scheme, or <c>ipc</c>.</exception>
    public static void Register(string scheme, Func<string, string?, string> open)
    {
        Throw.IfNull(scheme, nameof(scheme));
        Throw.IfNull(open, nameof(open));
        if (scheme.Length == 0 || scheme.Split(':').Length != 1 || scheme == OfNames)
            throw new ArgumentException(
                $"\"{scheme}\" is no scheme to register: it has one character or more, no colon, and is not \"ipc\".",
                nameof(scheme));
        s_schemes[scheme] = open;
    }

    /// <summary>The name behind an address. Whether it is one, its user checks.</summary>
    /// <param name="address">An address or a name.</param>
    /// <param name="client">Of a named connection; else null.</param>
    internal static string NameOf(string address, string? client = null)
    {
        int colon = address is null ? -1 : address.IndexOf(':');
        if (colon < 0)
            return address!;
        string scheme = address!.Substring(0, colon);
        if (scheme == OfNames)
            return address.Substring(colon + 1);
        if (!s_schemes.TryGetValue(scheme, out Func<string, string?, string>? open))
        {
            string advice = scheme == "tcp" ? "Call TcpAddresses.Register() of the package Ipc.Tcp first." : "";
            Throw.Status(
                IpcStatus.InvalidName,
                $"\"{address}\" is no name, and as an address it has a scheme that nobody has registered. " + advice);
        }

        string? name;
        try
        {
            name = open(address, client);
        }
#pragma warning disable CA1031 // its author's; but it may be a thread of the library that connects
        catch (Exception error) when (error is not IpcException)
#pragma warning restore CA1031
        {
            throw new IpcException(
                $"What is registered for \"{scheme}:\" has no way to \"{address}\": " +
                $"{error.GetType().Name}, the inner exception.", error);
        }

        if (name is null)
            Throw.Status(
                IpcStatus.InvalidName,
                $"What is registered for \"{scheme}:\" says null for the name behind \"{address}\".");
        return name;
    }
}
