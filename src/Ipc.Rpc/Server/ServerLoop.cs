using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// What a leader does: it takes events from the listener, reads the connections that they lend, and gives these back
// when nothing has come for a while. Reading on is the shortest way from a request to its handler; a connection that
// was given back is polled by the listener among others, and armed when the listener goes to sleep. So a client that
// calls in a loop is served from its ring directly, and an idle server sleeps in the listener.
//
// One thread serves all connections as long as that costs nobody anything; one that is in the way of others is given to
// a thread of its own (TurnWatch). So two clients with handlers of 100 us are served in parallel, and those with
// handlers of one take turns, in the cache of one core.

/// <summary>A running server: listener, connections, handlers.</summary>
internal sealed partial class ServerLoop
{
    private const int FramesPerTurn = 16; // then the other connections have theirs
    private const int MaxSpunOn = 4; // with more connections than this, idle ones go back at once
    // or a tick of the coarse clock, for handlers that take long but not too long
    private const int LooksBetweenEvents = 16;
    // 20 us, then the listener spins as long as a wake would cost
    private static readonly long _adaptiveSpin = Stopwatch.Frequency / 50_000;
    private static readonly long _endlessSpin = Stopwatch.Frequency / 100; // 10 ms, then the listener spins for ever

    private readonly HashSet<ServerConnection> _connections = new();
    private readonly TaskCompletionSource<bool> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Crew _crew;
    private readonly TurnWatch _turns; // the leader's
    private readonly long _spin;
    private readonly long _longTurn;
    private int _connectionCount; // of _connections, read without its lock [peek]
    private int _stopping; // [flag]

    public ServerLoop(string name, Listener listener, RpcServerOptions options, Dictionary<uint, RpcHandler> handlers)
    {
        Name = name;
        Listener = listener;
        Options = options;
        Host = new ServiceHost(name, handlers, options.HandlerRules());
        if (options.TakeOver)
            Host.IsFollowed = () => listener.IsFollowed;
        _crew = new Crew(name, options.MaxThreads, Lead, BeginToWatch);
        _longTurn = options.LongTurn.Ticks * Stopwatch.Frequency / TimeSpan.TicksPerSecond;
        _turns = new TurnWatch(_longTurn);
        _spin = options.WaitMode switch
        {
            WaitMode.Spin => _endlessSpin,
            WaitMode.Block => 0,
            _ => Processors.IsSpinningUseless ? 0 : _adaptiveSpin,
        };
    }

    public string Name { get; }

    public Listener Listener { get; }

    public RpcServerOptions Options { get; }

    public ServiceHost Host { get; }

    /// <summary>Completes when the server has stopped; faulted when that was not its own doing.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Called when another server has the name.</summary>
    public Action? Followed { get; set; }

    public int ConnectionCount
    {
        get
        {
            lock (_connections)
                return _connections.Count;
        }
    }

    /// <summary>How often a connection was given to a thread of its own.</summary>
    public int AsideCount => _crew.AsideCount;

    /// <summary>For tests.</summary>
    internal Action? StartingThread
    {
        set => _crew.Starting = value;
    }

    public bool HasCalls
    {
        get
        {
            if (Host.Once is { HasRunning: true })
                return true; // its connection may have gone
            lock (_connections)
                return _connections.Any(static connection => connection.HasCalls);
        }
    }

    /// <summary>Whether the server cannot end before this thread goes on: it leads, or user code on it is called while
    /// a message is being written.</summary>
    public bool IsHeldUpHere
    {
        get
        {
            if (Leader.IsNeeded(_crew))
                return true;
            lock (_connections)
                return _connections.Any(static connection => connection.IsWrittenHere);
        }
    }

    public void Start()
    {
        _crew.Start();
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.ServerStarted(Name);
    }

    public void Stop()
    {
        if (Interlocked.Exchange(ref _stopping, 1) != 0) // [once]
            return;

        Host.Drain(); // what is read from here on is handled by nobody, and its callers are told
        Listener.Stop();
        _crew.WakeStandby(); // the leader may be in a handler: then the standby ends the server
    }

    public void Forget(ServerConnection connection)
    {
        lock (_connections)
        {
            _connections.Remove(connection);
            Volatile.Write(ref _connectionCount, _connections.Count);
        }
    }

    /// <summary>Serves until the server stops (true), another thread has taken over, or nothing is left to read aside
    /// (false).</summary>
    /// <remarks>Compiled as a whole at its start: a loop that never ends is otherwise replaced in its middle, which
    /// holds up one of the first thousand calls for as long as that takes (40 to 90 ms where processors are
    /// busy).</remarks>
    [MethodImpl(Tiering.Optimized)]
    private bool Lead(Leader me)
    {
        Leader.Here(me);
        if (me.IsAside)
        {
            ReadAside(me);
            return false;
        }

        Exception? failure = null;
        try
        {
            while (Volatile.Read(ref _stopping) == 0)
            {
                if (me.Lent.Count != 0 && !ServeLent(me))
                    return false;
                if (!TakeEvent(me, me.Lent.Count == 0 ? Deadline.Never : Deadline.Now))
                    break;
            }
        }
        catch (IpcException e)
        {
            failure = e; // the listener itself is broken: nothing can be served any more
        }

        End(failure);
        return true;
    }

    /// <summary>Reads the lent connections until an event may have come or all have been given back.</summary>
    /// <returns><see langword="false"/> when another thread leads now.</returns>
    [MethodImpl(Tiering.Optimized)]
    private bool ServeLent(Leader me)
    {
        long idleSince = 0;
        int tick = Environment.TickCount;
        for (int turn = 1; ; turn++)
        {
            bool progress = false;
            bool someWait = false;
            bool crowd = Volatile.Read(ref _connectionCount) > 1;
            long began = crowd ? Stopwatch.GetTimestamp() : 0;
            int looks = me.Lent.Count == 1 && _spin != 0 && !me.IsClientHere ? LooksBetweenEvents : 0;
            bool isTime = looks != 0 || turn % LooksBetweenEvents == 0;
            for (int i = me.Lent.Count - 1; i >= 0; i--)
            {
                ServerConnection connection = me.Lent[i];
                if (crowd && connection.TryGoAside(_crew))
                {
                    me.Lent.RemoveAt(i);
                    continue;
                }

                switch (connection.Drain(me, FramesPerTurn, looks))
                {
                    case DrainResult.Stolen:
                        return false;
                    case DrainResult.Drained:
                        progress = true;
                        if (crowd)
                            someWait |= _turns.Note(connection, ref began);
                        break;
                    case DrainResult.Gone:
                        me.Lent.RemoveAt(i);
                        _turns.Forget();
                        break;
                    default:
                        if (me.Lent.Count > MaxSpunOn || _spin == 0)
                            GiveBack(me, i);
                        break;
                }
            }

            if (me.Lent.Count == 0 || Volatile.Read(ref _stopping) != 0)
                return true;
            if (progress)
            {
                idleSince = 0;
            }
            else
            {
                SpinPause.Once();
                if ((me.IsClientHere || isTime) && (IsIdleFor(_spin, ref idleSince) || SharesProcessor(me)))
                    GiveBackAll(me);
            }

            if (!isTime && Environment.TickCount == tick && !someWait)
                continue;
            if (me.Lent.Count == 0 || !TakeEvent(me, Deadline.Now))
                return true;
        }
    }

    /// <summary>Reads one connection until it is in nobody's way any more, or another thread reads it.</summary>
    private void ReadAside(Leader me)
    {
        ServerConnection connection = me.Lent[0];
        AsideTurn turn = new(_longTurn, spins: _spin != 0);
        while (Volatile.Read(ref _stopping) == 0)
        {
            DrainResult result = connection.Drain(me, FramesPerTurn, looks: 0);
            if (result == DrainResult.Stolen)
                return;
            if (result == DrainResult.Gone)
                break;
            if (result == DrainResult.Drained ? turn.IsOver(_crew.IsAsideWanted) : turn.IsIdle())
            {
                GiveBack(me, 0);
                break;
            }
        }

        _crew.LeaveAside(me);
    }

    [MethodImpl(Tiering.Optimized)]
    private static bool IsIdleFor(long most, ref long idleSince)
    {
        long now = Stopwatch.GetTimestamp();
        if (idleSince == 0)
            idleSince = now;
        return now - idleSince > most;
    }

    /// <summary>Whether the client, if there is one, was last seen on this thread's processor: spinning would keep it
    /// from its next call.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool SharesProcessor(Leader me) =>
        me.IsClientHere = _spin != _endlessSpin && me.Lent.Count == 1 && me.Lent[0].IsClientOnThisProcessor();

    [MethodImpl(Tiering.Optimized)]
    private static void GiveBack(Leader me, int index)
    {
        ServerConnection connection = me.Lent[index];
        me.Lent.RemoveAt(index);
        connection.Return();
    }

    [MethodImpl(Tiering.Optimized)]
    private static void GiveBackAll(Leader me)
    {
        for (int i = me.Lent.Count - 1; i >= 0; i--)
            GiveBack(me, i);
    }

    /// <summary>Takes one event from the listener and acts on it.</summary>
    /// <returns><see langword="false"/> when the listener has been stopped.</returns>
    [MethodImpl(Tiering.Optimized)]
    private bool TakeEvent(Leader me, Deadline deadline)
    {
        IpcStatus status = Listener.Next(out ListenerEvent next, deadline);
        if (status == IpcStatus.Timeout)
            return true;
        if (status != IpcStatus.Ok)
            return false;

        switch (next.Kind)
        {
            case ListenerEventKind.Connect:
                var admission = new Admission(this, me, next.Connection);
                CleanContext.Undo(ref admission);
                break;
            case ListenerEventKind.Followed:
                Followed?.Invoke();
                break;
            case ListenerEventKind.Readable:
                me.Lent.Add((ServerConnection)next.Connection.Context!);
                break;
            default:
                if (next.Connection.Context is ServerConnection connection)
                {
                    me.Lent.Remove(connection);
                    connection.Close(CloseCode.None, string.Empty);
                }
                else
                {
                    next.Connection.Dispose();
                }

                break;
        }

        return true;
    }

    private void End(Exception? failure)
    {
        Volatile.Write(ref _stopping, 1);
        List<ServerConnection> connections;
        lock (_connections)
            connections = _connections.ToList();
        foreach (ServerConnection connection in connections)
            connection.Close(CloseCode.Shutdown, "The server stopped.");
        Host.Once?.CancelAll(); // behind the connections: no caller gets its handler's end in place of the server's
        Listener.Dispose();
        _crew.Stop();
        Host.Threads.Stop();
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.ServerStopped(Name, failure?.Message ?? string.Empty);
        if (failure is null)
            _completion.TrySetResult(true);
        else
            _completion.TrySetException(failure);
    }
}
