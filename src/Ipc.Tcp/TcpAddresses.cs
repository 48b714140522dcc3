using System;
using System.Collections.Generic;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ipc.Tcp;

/// <summary>Lets <c>tcp:HOST:PORT/NAME</c> stand wherever a client of this process names its server: for connections,
/// calls, pipes and named connections.</summary>
/// <remarks>
/// <para>Behind each address is a <see cref="TcpExit"/> of this process, opened when the address is first used,
/// also again behind <see cref="Close"/>. It stays until then or until the process's end. Others of this process's user
/// could connect to it, as to any exit: docs/guide/tcp.md.</para>
/// <para>Programs in C and C++ connect to an exit by its name: <c>ipc exit</c>.</para>
/// </remarks>
public static class TcpAddresses
{
    private const string Scheme = "tcp";
    private const int LongestName = 110; // of 120; a number follows
    private const int MostOfOneName = 1000;

    private static readonly Dictionary<string, TcpExit> s_exits = new(StringComparer.Ordinal); // its own lock
    private static TcpExitOptions s_options = new();
    private static bool s_closesAtExit;

    /// <summary>From now on such addresses lead somewhere.</summary>
    /// <param name="options">Of all exits that are opened from here on; copied. Null: all defaults.
    /// <see cref="ListenerOptions.TakeOver"/> is not used: each process has exits of its own.</param>
    public static void Register(TcpExitOptions? options = null)
    {
        lock (s_exits)
        {
            s_options = OwnOf(options ?? new TcpExitOptions());
            if (!s_closesAtExit)
                AppDomain.CurrentDomain.ProcessExit += static (_, _) => Close();
            s_closesAtExit = true;
        }

        AddressScheme.Register(Scheme, NameOf);
    }

    /// <summary>Closes what was opened: connections over TCP end with <see cref="CloseCode.Shutdown"/>. An address that
    /// is used afterwards is opened anew. For any thread.</summary>
    public static void Close()
    {
        TcpExit[] exits;
        lock (s_exits)
        {
            exits = new TcpExit[s_exits.Count];
            s_exits.Values.CopyTo(exits, 0);
            s_exits.Clear();
        }

        foreach (TcpExit exit in exits)
            exit.Dispose();
    }

    /// <summary>What is changed afterwards is not seen. And whatever they say, no exit takes the name of another
    /// process's: each has its own, which nobody else has to find.</summary>
    internal static TcpExitOptions OwnOf(TcpExitOptions options)
    {
        TcpExitOptions own = (TcpExitOptions)options.Copy();
        if (own.Listener is { } plain)
            own.Listener = new ListenerOptions
            {
                MaxConnections = plain.MaxConnections,
                MaxRingCapacity = plain.MaxRingCapacity,
                MaxLoanBudget = plain.MaxLoanBudget,
                WaitMode = plain.WaitMode,
                SpinLimit = plain.SpinLimit,
                Access = plain.Access,
                Protocol = plain.Protocol,
            };
        if (own.NamedListener is { } named)
            own.NamedListener = new NamedListenerOptions
            {
                MaxConnections = named.MaxConnections,
                MaxRingCapacity = named.MaxRingCapacity,
                MaxLoanBudget = named.MaxLoanBudget,
                WaitMode = named.WaitMode,
                SpinLimit = named.SpinLimit,
            };
        return own;
    }

    /// <summary>Opening does not ask the other machine, so this takes no longer than making a region.</summary>
    private static string NameOf(string address, string? client)
    {
        TcpAddress there;
        try
        {
            there = TcpAddress.Parse(address);
        }
        catch (ArgumentException error)
        {
            throw new IpcException(IpcStatus.InvalidName, error.Message);
        }

        string key = client is null ? there.ToString() : there + "~" + client;
        lock (s_exits)
        {
            if (!s_exits.TryGetValue(key, out TcpExit? exit))
                s_exits.Add(key, exit = client is null ? OpenPlain(there, key) : OpenNamed(there, key));
            return exit.Name;
        }
    }

    /// <summary>A number keeps the exits of several processes apart. What a killed one has left, the next one
    /// takes.</summary>
    private static TcpExit OpenPlain(TcpAddress there, string key)
    {
        string name = LocalName(key);
        for (int number = 1; ; number++)
        {
            try
            {
                return TcpExit.Open(
                    name + "." + number.ToString(CultureInfo.InvariantCulture), there.ToString(), s_options);
            }
            catch (IpcException error) when (error.Status == IpcStatus.InUse && number < MostOfOneName)
            {
            }
        }
    }

    /// <summary>The conversation's messages wait under this name, also when no process runs: it is the same for each
    /// that has the client's name, one at a time.</summary>
    private static TcpExit OpenNamed(TcpAddress there, string key) =>
        TcpExit.OpenNamed(LocalName(key), there.ToString(), s_options);

    /// <summary>As readable as a name may be, and of another length or with another character what is unlikely to be
    /// the same.</summary>
    private static string LocalName(string key)
    {
        StringBuilder name = new(key.Length);
        bool isExact = key.Length <= LongestName;
        foreach (char character in key)
        {
            bool isAllowed = character is >= 'a' and <= 'z' or >= 'A' and <= 'Z' or >= '0' and <= '9' or '.' or '-';
            isExact &= isAllowed || character is ':' or '/' or '~';
            name.Append(isAllowed ? character : '_');
        }

        if (isExact)
            return name.ToString();
        name.Length = Math.Min(name.Length, LongestName - 33);
        foreach (byte one in HashOf(Encoding.UTF8.GetBytes(key)).AsSpan(0, 16))
            name.Append(one.ToString("x2", CultureInfo.InvariantCulture));
        return name.ToString();
    }

    private static byte[] HashOf(byte[] bytes)
    {
#if NET
        return SHA256.HashData(bytes);
#else
        using SHA256 hash = SHA256.Create();
        return hash.ComputeHash(bytes);
#endif
    }
}
