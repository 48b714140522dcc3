using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>Lets clients of other machines reach servers of this one: plain connections (calls, pipes) and named ones.
/// The servers need not know of it; it is a client of theirs, in any process of their user.</summary>
/// <remarks>
/// <para>Two threads for each connection, one more to accept. It calls code of the user's on these:
/// <see cref="TcpEntranceOptions.Allows"/> and <see cref="TcpTls.Validate"/>, without a lock.</para>
/// <para>Without TLS and a token it lets in whoever can reach its endpoint. docs/tcp-protocol.md has the bytes.</para>
/// </remarks>
public sealed class TcpEntrance : IDisposable
{
    private const int Leaving = 16; // connections that were ended, and whose threads have not noticed
    private const int LooksAgainAfter = 100; // ms
    private const int PoliteEnd = 1000, AnyEnd = 5000; // ms

    private readonly TcpEntranceOptions _options;
    private readonly Socket _socket;
    private readonly Dictionary<EntranceLeg, bool> _legs = new(); // under its lock, with all that follows
    private readonly LinkedList<EntranceLeg> _strangers = new(); // of these who has not said who he is, in order
    private readonly Dictionary<string, EntranceLeg> _named = new(StringComparer.Ordinal); // by server~~client
    private int _greeted;
    private bool _disposed;

    private TcpEntrance(TcpEntranceOptions options, Socket socket)
    {
        _options = options;
        _socket = socket;
        Endpoint = (IPEndPoint)socket.LocalEndPoint!;
    }

    /// <summary>Where it listens, with the port that the system has chosen.</summary>
    public IPEndPoint Endpoint { get; }

    /// <summary>How many connections it has now, with those that are being greeted.</summary>
    public int Count
    {
        get
        {
            lock (_legs)
                return _legs.Count;
        }
    }

    /// <summary>Opens it. It lets clients in at once, on threads of its own.</summary>
    /// <exception cref="SocketException">The endpoint is another program's, or none of this machine.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public static TcpEntrance Open(TcpEntranceOptions options)
    {
        if (options is null)
            throw new ArgumentNullException(nameof(options));
        TcpEntranceOptions own = (TcpEntranceOptions)options.Copy();
        if (own.MaxConnections < 1)
            throw new ArgumentException($"An entrance has at least one connection, not {own.MaxConnections}.");
        if (own.IdleTimeout != TimeSpan.Zero &&
            (own.IdleTimeout < TimeSpan.FromMilliseconds(10) || own.IdleTimeout > TimeSpan.FromDays(24)))
            throw new ArgumentException($"IdleTimeout is 0, or 10 ms to 24 days, not {own.IdleTimeout}.");
        if (own.Tls is { Certificate: null })
            throw new ArgumentException("An entrance with TLS has a certificate.");
        Socket socket = new(own.Endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(own.Endpoint);
            socket.Listen(512);
            TcpEntrance entrance = new(own, socket);
            new Thread(entrance.AcceptAll) { IsBackground = true, Name = "ipc-tcp-accept" }.Start();
            return entrance;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Lets nobody in any more and ends all connections: their clients are told that the server is ending.
    /// What named connections have not carried yet stays where it is. When it returns, their places at the servers here
    /// are free; who does not end within a second is cut off. Called by <see cref="TcpEntranceOptions.Allows"/> it does
    /// not wait.</summary>
    public void Dispose()
    {
        EntranceLeg[] legs;
        lock (_legs)
        {
            if (_disposed)
                return;
            _disposed = true;
            legs = new EntranceLeg[_legs.Count];
            _legs.Keys.CopyTo(legs, 0);
        }

        _socket.Dispose();
        foreach (EntranceLeg leg in legs)
            leg.End("The entrance has ended.");
        if (EntranceLeg.IsOnItsThread || WaitForEnd(PoliteEnd))
            return;
        foreach (EntranceLeg leg in legs)
            leg.Abort("The entrance has ended.");
        _ = WaitForEnd(AnyEnd);
    }

    private bool WaitForEnd(int milliseconds)
    {
        lock (_legs)
        {
            long end = Clock.Now + milliseconds;
            while (_legs.Count > 0)
            {
                long left = end - Clock.Now;
                if (left <= 0 || !Monitor.Wait(_legs, (int)left))
                    return _legs.Count == 0;
            }

            return true;
        }
    }

    private void AcceptAll()
    {
        for (; ; )
        {
            Socket socket;
            try
            {
                socket = _socket.Accept();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                lock (_legs)
                {
                    if (_disposed)
                        return;
                }

                Thread.Sleep(10); // without descriptors, perhaps; or who came has gone
                continue;
            }

            Greet(socket);
        }
    }

    private void Greet(Socket socket)
    {
        EntranceLeg leg = new(this, _options, socket);
        lock (_legs)
        {
            if (_disposed)
            {
                socket.Dispose();
                return;
            }

            if (_strangers.Count >= _options.MaxConnections)
            {
                EntranceLeg oldest = _strangers.First!.Value;
                _strangers.RemoveFirst();
                oldest.Abort("Others wait to say who they are.");
                if (_legs.Count >= 2L * _options.MaxConnections + Leaving)
                {
                    socket.Dispose(); // those who have to go have not gone yet
                    return;
                }
            }

            _legs.Add(leg, true);
            _strangers.AddLast(leg);
        }

        try
        {
            new Thread(leg.Run) { IsBackground = true, Name = "ipc-tcp-in" }.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            Forget(leg);
            socket.Dispose();
        }
    }

    internal void Forget(EntranceLeg leg)
    {
        lock (_legs)
        {
            _legs.Remove(leg);
            _strangers.Remove(leg);
            if (leg.IsGreeted)
                _greeted--;
            FreeNames(leg);
            Monitor.PulseAll(_legs);
        }
    }

    /// <summary>Its named connection is closed, or was not opened.</summary>
    internal void FreeNames(EntranceLeg leg)
    {
        lock (_legs)
        {
            if (leg.Key is { } key && _named.TryGetValue(key, out EntranceLeg? now) && ReferenceEquals(now, leg))
                _named.Remove(key);
            leg.Key = null;
            Monitor.PulseAll(_legs);
        }
    }

    /// <summary>It has said who it is. False: there are too many.</summary>
    internal bool TryCount(EntranceLeg leg)
    {
        lock (_legs)
        {
            _strangers.Remove(leg);
            if (_greeted >= _options.MaxConnections)
                return false;
            _greeted++;
            leg.IsGreeted = true;
            return true;
        }
    }

    /// <summary>The pair of names is that leg's from here on. A former one of the same conversation is ended first: its
    /// client has come again, whatever the network thinks. One of another conversation has the names as long as it is
    /// there.</summary>
    /// <exception cref="TcpRefusedException">The names are somebody else's; or were not free in time.</exception>
    internal void Take(EntranceLeg leg, string server, NamedState state)
    {
        string key = server + "~~" + state.Client;
        lock (_legs)
        {
            long end = Clock.Now + (long)_options.ConnectTimeout.TotalMilliseconds;
            while (_named.TryGetValue(key, out EntranceLeg? former))
            {
                if (former.Conversation == state.Conversation)
                    former.Abort("The client has come again.");
                else if (former.IsThere)
                    throw EntranceLeg.No($"\"{state.Client}\" is logged in to \"{server}\" from {former.RemoteEnd}.");
                if (Clock.Now >= end)
                    throw EntranceLeg.Later(
                        $"\"{state.Client}\" was logged in to \"{server}\" from {former.RemoteEnd}, whose session " +
                        "is being ended.");
                Monitor.Wait(_legs, LooksAgainAfter);
            }

            leg.Key = key;
            leg.Conversation = state.Conversation;
            _named.Add(key, leg);
        }
    }
}
