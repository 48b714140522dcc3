using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>The exit's side of plain connections: a listener here, a TCP connection for each of its clients.</summary>
internal sealed class ExitOfConnections : IExit
{
    private readonly Listener _listener;
    private readonly TcpAddress _address;
    private readonly TcpExitOptions _options;
    private readonly HashSet<Wire> _wires = new(); // under its lock, like this:
    private bool _disposed;

    private ExitOfConnections(Listener listener, TcpAddress address, TcpExitOptions options)
    {
        _listener = listener;
        _address = address;
        _options = options;
    }

    public static ExitOfConnections Open(string name, TcpAddress address, TcpExitOptions options)
    {
        ExitOfConnections exit = new(Listener.Open(name, options.Listener), address, options);
        new Leaders("ipc-tcp-exit", exit.LeadOnce).Start();
        return exit;
    }

    public void Dispose()
    {
        Wire[] wires;
        lock (_wires)
        {
            _disposed = true;
            wires = new Wire[_wires.Count];
            _wires.CopyTo(wires);
        }

        _listener.Dispose();
        foreach (Wire wire in wires)
            wire.End(CloseCode.Shutdown, "The exit has ended.");
    }

    private bool LeadOnce(Leaders leaders)
    {
        if (_listener.Next(out ListenerEvent e, Deadline.Never) != IpcStatus.Ok)
            return false;
        if (e.Kind == ListenerEventKind.Followed)
            return true; // without a connection: who comes now goes to the other one, and those here are carried on
        Connection connection = e.Connection;
        if (e.Kind == ListenerEventKind.Connect)
        {
            Begin(connection);
            return true;
        }

        PlainLeg leg = (PlainLeg)connection.Context!;
        try
        {
            if (e.Kind == ListenerEventKind.Readable)
            {
                leg.Forward(leaders.LetAnotherLead);
                _listener.Return(connection);
                return true;
            }

            leaders.LetAnotherLead();
            leg.EndWire();
        }
        catch (Exception error) when (error is IpcException or TcpProtocolException)
        {
            connection.Shutdown(CloseCode.Protocol, error.Message);
            leg.EndWire(CloseCode.Protocol, error.Message);
        }

        connection.Dispose();
        return true;
    }

    private void Begin(Connection connection)
    {
        try
        {
            new Thread(() => Carry(connection)) { IsBackground = true, Name = "ipc-tcp-in" }.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            ComeAgain(connection, "The exit has no memory for another thread.");
        }
    }

    private static void ComeAgain(Connection connection, string text)
    {
        connection.Shutdown(CloseCode.Shutdown, text); // before the answer: it is no refusal
        connection.Refuse(text);
    }

    /// <summary>On a thread of its own. It does not throw.</summary>
    private void Carry(Connection connection)
    {
        Wire? wire = null;
        try
        {
            wire = Wire.Connect(_address, _options);
            if (!Add(wire))
            {
                ComeAgain(connection, "The exit has ended.");
                return;
            }

            new Hello
            {
                Carries = Hello.CarriesConnection,
                Alive = (uint)_options.AliveMilliseconds,
                Longest = (uint)_options.MaxMessage,
                Server = _address.Name,
                Token = _options.Token.ToArray(),
                ClientHello = connection.Hello.ToArray(),
            }.Send(wire);
            Welcome welcome = Welcome.Read(wire, isNamed: false);
            wire.Begin(welcome.Alive, welcome.Longest);
            PlainLeg leg = new(connection, wire);
            connection.Context = leg;
            connection.Accept();
            _listener.Return(connection);
            leg.Receive();
        }
        catch (TcpRefusedException e)
        {
            if (e.Code == CloseCode.Shutdown)
                ComeAgain(connection, $"{_address}: {e.Message}");
            else
                connection.Refuse(e.Message);
        }
        catch (Exception e) when (e is IOException or TcpProtocolException)
        {
            ComeAgain(connection, $"{_address}: {e.Message}");
        }
        finally
        {
            Remove(wire);
        }
    }

    private bool Add(Wire wire)
    {
        lock (_wires)
            return !_disposed && _wires.Add(wire);
    }

    private void Remove(Wire? wire)
    {
        if (wire is null)
            return;
        lock (_wires)
            _wires.Remove(wire);
        wire.Dispose();
    }
}
