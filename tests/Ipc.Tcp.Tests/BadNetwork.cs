using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace Ipc.Tcp.Tests;

/// <summary>Passes bytes on, from a port of its own to another one: until it is told to cut, to hold or to swallow them.</summary>
public sealed class BadNetwork : IDisposable
{
    private readonly IPEndPoint _to;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Socket _accepts;
    private readonly List<Socket> _sockets = [], _comers = [];
    private readonly ManualResetEventSlim _flows = new(true), _answersFlow = new(true);
    private int _passed;
    private int _cutAfter = int.MaxValue;
    private volatile bool _refuses;
    private volatile byte[]? _refused;
    private volatile int _refusals;
    private volatile int _held;

    public BadNetwork(IPEndPoint to)
    {
        _to = to;
        _listener.Start();
        _accepts = _listener.Server; // a listener that has stopped says so in many ways
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port;
        new Thread(AcceptAll) { IsBackground = true }.Start();
    }

    public int Port { get; }

    public int Connections { get; private set; }

    /// <summary>All connections break at once.</summary>
    public void Cut()
    {
        lock (_sockets)
        {
            foreach (Socket socket in _sockets)
            {
                try
                {
                    socket.LingerState = new LingerOption(true, 0); // with a reset
                }
                catch (Exception e) when (e is SocketException or ObjectDisposedException)
                {
                    // it is broken already
                }

                socket.Dispose();
            }

            _sockets.Clear();
            _comers.Clear();
        }
    }

    /// <summary>They break after so many bytes more, in the middle of whatever it is.</summary>
    public void CutAfter(int bytes)
    {
        Volatile.Write(ref _passed, 0);
        Volatile.Write(ref _cutAfter, bytes);
    }

    /// <summary>From now on whoever comes is cut at once.</summary>
    public bool Refuses
    {
        get => _refuses;
        set => _refuses = value;
    }

    /// <summary>From now on whoever comes and says this is cut.</summary>
    public string? RefusesWhoSays
    {
        set => _refused = value is null ? null : Encoding.UTF8.GetBytes(value);
    }

    /// <summary>How many have been cut for what they said.</summary>
    public int Refusals => _refusals;

    /// <summary>All who have come hear this, as if the other end had said it.</summary>
    public void Say(ReadOnlySpan<byte> what)
    {
        lock (_sockets)
        {
            foreach (Socket comer in _comers)
            {
                try
                {
                    comer.Send(what);
                }
                catch (Exception e) when (e is SocketException or ObjectDisposedException)
                {
                    // it has gone
                }
            }
        }
    }

    /// <summary>Nothing comes through any more, and nobody is told: a half-open connection.</summary>
    public void Hold() => _flows.Reset();

    /// <summary>The same of what the other end says to those who come.</summary>
    public void HoldAnswers() => _answersFlow.Reset();

    /// <summary>How many connections have an answer that is held.</summary>
    public int HeldAnswers => _held;

    public void LetGo()
    {
        _flows.Set();
        _answersFlow.Set();
    }

    public void Dispose()
    {
        _listener.Stop();
        LetGo();
        Cut();
    }

    private void AcceptAll()
    {
        try
        {
            for (; ; )
            {
                Socket from = _accepts.Accept();
                if (_refuses)
                {
                    Connections++;
                    from.Dispose();
                    continue;
                }

                Socket to = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                try
                {
                    from.NoDelay = true;
                    to.Connect(_to);
                }
                catch (SocketException)
                {
                    Connections++;
                    from.Dispose();
                    continue;
                }

                lock (_sockets)
                {
                    _sockets.Add(from);
                    _sockets.Add(to);
                    _comers.Add(from);
                    Connections++; // not before: who has seen it may cut it
                }

                new Thread(() => Pass(from, to, isAnswer: false)) { IsBackground = true }.Start();
                new Thread(() => Pass(to, from, isAnswer: true)) { IsBackground = true }.Start();
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // it is over
        }
    }

    private void Pass(Socket from, Socket to, bool isAnswer)
    {
        byte[] buffer = new byte[16 << 10];
        try
        {
            for (; ; )
            {
                int some = from.Receive(buffer);
                _flows.Wait();
                if (isAnswer && !_answersFlow.IsSet)
                {
                    Interlocked.Increment(ref _held);
                    _answersFlow.Wait();
                    Interlocked.Decrement(ref _held);
                }

                if (some == 0)
                {
                    to.Shutdown(SocketShutdown.Send);
                    return;
                }

                if (_refused is { } refused && buffer.AsSpan(0, some).IndexOf(refused) >= 0)
                {
                    Interlocked.Increment(ref _refusals);
                    Cut(from);
                    Cut(to);
                    return;
                }

                int over = Interlocked.Add(ref _passed, some) - Volatile.Read(ref _cutAfter);
                if (over >= 0)
                {
                    to.Send(buffer, 0, Math.Max(0, some - over), SocketFlags.None);
                    Volatile.Write(ref _cutAfter, int.MaxValue);
                    Cut();
                    return;
                }

                to.Send(buffer, 0, some, SocketFlags.None);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            Cut(from);
            Cut(to);
        }
    }

    private static void Cut(Socket socket) => socket.Dispose();
}
