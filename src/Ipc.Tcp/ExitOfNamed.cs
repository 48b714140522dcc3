using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>The exit's side of named connections: their server here, and a way to the other machine for each.</summary>
/// <remarks>The leading thread has the receiving half of all conversations that are not lent; that is why it is it that
/// acknowledges, when it is woken for it.</remarks>
internal sealed class ExitOfNamed : IExit
{
    private readonly NamedListener _listener;
    private readonly Dictionary<string, NamedRoute> _routes = new(StringComparer.Ordinal); // by client; its own lock
    private readonly List<NamedRoute> _due = new(); // that have to acknowledge; its own lock
    private volatile bool _disposed;

    private ExitOfNamed(NamedListener listener, TcpAddress address, TcpExitOptions options)
    {
        _listener = listener;
        Address = address;
        Options = options;
    }

    public TcpAddress Address { get; }

    public TcpExitOptions Options { get; }

    /// <summary>Whoever logs in is to come again: its successor's routes are not this one's.</summary>
    public bool IsDisposed => _disposed;

    public static ExitOfNamed Open(string name, TcpAddress address, TcpExitOptions options)
    {
        NamedListenerOptions like = options.NamedListener ?? new NamedListenerOptions();
        ExitOfNamed exit = new(
            NamedListener.Open(name, new NamedListenerOptions
            {
                Identity = "tcp", // the conversations are bound to the other machine's, one by one
                MaxConnections = like.MaxConnections,
                MaxRingCapacity = like.MaxRingCapacity,
                MaxLoanBudget = like.MaxLoanBudget,
                WaitMode = like.WaitMode,
                SpinLimit = like.SpinLimit,
            }),
            address, options);
        new Leaders("ipc-tcp-exit", exit.LeadOnce).Start();
        return exit;
    }

    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        NamedRoute[] routes;
        lock (_routes)
        {
            routes = new NamedRoute[_routes.Count];
            _routes.Values.CopyTo(routes, 0);
        }

        foreach (NamedRoute route in routes)
            route.End("The exit has ended.");
        _listener.Close("The exit has ended.");
    }

    /// <summary>On any thread: the leader is to acknowledge what came for that one.</summary>
    public void WakeFor(NamedRoute route)
    {
        lock (_due)
            _due.Add(route);
        _listener.Stop();
    }

    private bool LeadOnce(Leaders leaders)
    {
        IpcStatus status = _listener.Next(out NamedEvent e, Deadline.Never);
        if (status == IpcStatus.Stopped && !_disposed)
        {
            _listener.Resume(); // first: who stops it afterwards is seen
            AcknowledgeDue();
            return true;
        }

        if (status != IpcStatus.Ok)
            return false;
        NamedRoute route = RouteOf(e.Connection.ClientName);
        try
        {
            Handle(leaders, route, e);
        }
        catch (IpcException error) // what the client has done to its region
        {
            e.Connection.Close(CloseCode.Protocol, error.Message);
        }

        return true;
    }

    private void Handle(Leaders leaders, NamedRoute route, in NamedEvent e)
    {
        switch (e.Kind)
        {
            case NamedEventKind.Login:
                route.LogsIn(e.Connection);
                break;
            case NamedEventKind.Readable:
                int turn = route.Forward(e.Connection, leaders.LetAnotherLead);
                _listener.Return(e.Connection);
                route.EndForwarding(turn);
                break;
            case NamedEventKind.Logout:
                leaders.LetAnotherLead();
                route.LogsOut(e);
                break;
        }
    }

    private void AcknowledgeDue()
    {
        NamedRoute[] due;
        lock (_due)
        {
            due = _due.ToArray();
            _due.Clear();
        }

        foreach (NamedRoute route in due)
            route.Acknowledge();
    }

    private NamedRoute RouteOf(string client)
    {
        lock (_routes)
        {
            if (!_routes.TryGetValue(client, out NamedRoute? route))
                _routes.Add(client, route = new NamedRoute(this, client));
            return route;
        }
    }
}
