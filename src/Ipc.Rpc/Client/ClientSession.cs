using System;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// A client outlives its connections. A call takes the present channel; when that turns out to be over, the call itself
// connects again, without waiting for a server to appear: a missing one is found out by opening a file. What is slow or
// rude (a server that refuses, is full, or does not answer) is not tried again before a pause with jitter has passed;
// calls in the pause fail at once with the reason of the last attempt.

/// <summary>What all views of one client share: name, options, and the present channel.</summary>
internal sealed class ClientSession : ICallRoute, IDisposable
{
    private const int FirstPause = 10;
    private const int LongestPause = 1000;

    private static readonly TimeSpan _longest = TimeSpan.FromDays(20); // what a timer takes

    private readonly object _connecting = new();
    private readonly Random _jitter = new(); // under _connecting
    private readonly string _name;
    private readonly ServiceHost? _callbacks; // what all connections offer to the server
    private readonly WeakReference<ConnectionEvents> _events; // whose subscribers must not keep the client: its lease has it
    private ClientChannel? _channel;
    private int _pause;
    private Deadline _retryAt = Deadline.Now;
    private RpcFailure? _refusal;
    private bool _disposed;

    /// <param name="name">The server's.</param>
    /// <param name="options">Checked, and its own.</param>
    /// <param name="events">Is told about connections, while somebody else holds it.</param>
    public ClientSession(string name, RpcClientOptions options, ConnectionEvents events)
    {
        _events = new WeakReference<ConnectionEvents>(events);
        _name = name;
        Options = options;
        _callbacks = options.Services.Count == 0 ? null : ServiceHost.ForCallbacks(name, options);
    }

    public string Name => _name;

    private string Peer => "the server " + _name;

    public RpcClientOptions Options { get; }

    public int StreamWindow => Options.StreamWindow;

    public ClientChannel? Channel => Volatile.Read(ref _channel);

    /// <summary>Sees to it that there is a connection, waiting for a server. Calls do not wait meanwhile: the lock is taken only when there is one.</summary>
    public void EnsureConnected(TimeSpan patience, CancellationToken cancel)
    {
        ThrowIfDisposed();
        if (Channel is { Ended: null })
            return;

        Connection connection;
        try
        {
            Deadline deadline = patience == Timeout.InfiniteTimeSpan ? Deadline.Never : Deadline.After(patience);
            connection = Connection.Connect(_name, ConnectOptionsFor(deadline), cancel);
        }
        catch (IpcException e) when (e.Status == IpcStatus.Cancelled)
        {
            throw new OperationCanceledException(e.Message, e, cancel);
        }
        catch (IpcException e) when (e.Status is not (IpcStatus.InvalidName or IpcStatus.InvalidArgument))
        {
            throw FailureOf(e, waited: patience != TimeSpan.Zero).ToException(cancel, null, Peer);
        }

        lock (_connecting)
        {
            if (Channel is { Ended: null } || Volatile.Read(ref _disposed))
                connection.Dispose(); // a call was faster, or it is too late
            else
                Take(Start(connection));
        }

        ThrowIfDisposed();
    }

    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        Interlocked.MemoryBarrier(); // [disposed] a call that is connecting sees it after storing its channel, or we see the channel
        Channel?.End(ClosedHere());
        _callbacks?.Threads.Stop();
    }

    /// <summary>Nobody can use the client any more. On the thread pool, where nothing may be thrown.</summary>
    public void DisposeForgotten()
    {
        try
        {
            Dispose();
        }
#pragma warning disable CA1031 // as the summary says
        catch (Exception e)
#pragma warning restore CA1031
        {
            System.Diagnostics.Trace.TraceError("Closing the forgotten client of the server " + _name + " failed: " + ErrorText.Whole(e));
        }
    }

    /// <summary>The present channel's engine; a new one's if that is over or <paramref name="stale"/>.</summary>
    [MethodImpl(Tiering.Optimized)]
    public CallEngine Get(CallEngine? stale, RpcMethod method, in CallRequest how)
    {
        ClientChannel? channel = Volatile.Read(ref _channel);
        if (channel is not null && channel.Ended is null && !ReferenceEquals(channel.Engine, stale))
            return channel.Engine;

        return Reconnect(stale, method, how.Deadline, how.Cancel).Engine;
    }

    private ClientChannel Reconnect(CallEngine? stale, RpcMethod method, Deadline deadline, CancellationToken cancel)
    {
        ThrowIfDisposed();
        ClientChannel? present = Channel; // none: the first call of a client that was only opened
        if (!Options.AutoReconnect && present?.Ended is { } ended)
            throw ended.ToException(cancel, method, Peer);

        if (!EnterConnecting(deadline, cancel))
            throw (cancel.IsCancellationRequested ? RpcFailure.Cancelled(method) : RpcFailure.Deadline(method)).ToException(cancel, method, Peer);
        try
        {
            ThrowIfDisposed();
            present = Channel;
            if (present is { Ended: null } && !ReferenceEquals(present.Engine, stale))
                return present; // another thread was faster
            if (!_retryAt.HasPassed && _refusal is { } refusal)
                throw refusal.ToException(cancel, method, Peer);

            ClientChannel channel = ConnectAgain(method, deadline, cancel);
            Take(channel);
            ThrowIfDisposed();
            return channel;
        }
        finally
        {
            Monitor.Exit(_connecting);
        }
    }

    /// <summary>Makes a channel the present one, and ends it if the client was disposed meanwhile. Under the lock.</summary>
    private void Take(ClientChannel channel)
    {
        _pause = 0;
        _refusal = null;
        Interlocked.Exchange(ref _channel, channel);
        if (Volatile.Read(ref _disposed)) // [disposed]
            channel.End(ClosedHere());
    }

    private void Lost(ClientChannel channel, RpcFailure reason)
    {
        Tell(new RpcConnectionChange(RpcConnectionChangeKind.Lost, channel.ServerProcessId, reason.Cause));
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.ConnectionLost(_name, channel.ServerProcessId, reason.Cause);
    }

    private void Tell(RpcConnectionChange change)
    {
        if (_events.TryGetTarget(out ConnectionEvents? events))
            events.Add(change);
    }

    private ClientChannel Start(Connection connection)
    {
        var channel = new ClientChannel(this, _name, connection, Options);
        Tell(new RpcConnectionChange(RpcConnectionChangeKind.Connected, channel.ServerProcessId, null));
        channel.WhenEnded(reason => Lost(channel, reason));
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.Connected(_name, channel.ServerProcessId);
        if (_callbacks is not null)
            channel.Serve(_callbacks);
        if ((_events.TryGetTarget(out ConnectionEvents? events) && events.HasAny) || _callbacks is not null)
            channel.Watch();
        return channel;
    }

    /// <summary>Sees to it that the end of the present connection is noticed without a call.</summary>
    public void Watch() => Channel?.Watch();

    private bool EnterConnecting(Deadline deadline, CancellationToken cancel)
    {
        const int Slice = 20;
        while (!Monitor.TryEnter(_connecting, (int)Math.Max(0, Math.Min(Math.Ceiling(deadline.Remaining.TotalMilliseconds), Slice))))
        {
            if (deadline.HasPassed || cancel.IsCancellationRequested)
                return false;
        }

        return true;
    }

    private ClientChannel ConnectAgain(RpcMethod method, Deadline deadline, CancellationToken cancel)
    {
        // Deadline.Now: the server has to be there. The token bounds how long it may take to answer.
        TimeSpan most = Options.ConnectTimeout == Timeout.InfiniteTimeSpan ? _longest : Options.ConnectTimeout;
        TimeSpan patience = deadline.Remaining < most ? deadline.Remaining : most;
        using var bounded = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        bounded.CancelAfter(patience < TimeSpan.Zero ? TimeSpan.Zero : patience > _longest ? _longest : patience);
        try
        {
            return Start(Connection.Connect(_name, ConnectOptionsFor(Deadline.Now), bounded.Token));
        }
        catch (IpcException e) when (e.Status == IpcStatus.Cancelled)
        {
            if (cancel.IsCancellationRequested)
                throw RpcFailure.Cancelled(method).ToException(cancel, method, Peer);

            Pause(new RpcFailure(
                RpcStatus.Unavailable,
                "The server " + _name + " did not answer within " + patience.TotalMilliseconds.ToString("0", CultureInfo.InvariantCulture) + " ms.", null, e));
            throw (deadline.HasPassed ? RpcFailure.Deadline(method) : _refusal!).ToException(cancel, method, Peer);
        }
        catch (IpcException e)
        {
            RpcFailure failure = FailureOf(e, waited: false);
            if (e.Status is not (IpcStatus.NotFound or IpcStatus.PeerDied or IpcStatus.PeerClosed)) // its successor may be there already
                Pause(failure);
            throw failure.ToException(cancel, method, Peer);
        }
    }

    private void Pause(RpcFailure refusal)
    {
        _refusal = refusal;
        _pause = Math.Min(LongestPause, Math.Max(FirstPause, _pause * 2));
        _retryAt = Deadline.After(TimeSpan.FromMilliseconds(_pause * (0.5 + _jitter.NextDouble())));
    }

    /// <param name="e">What connecting failed with.</param>
    /// <param name="waited">Whether a server was waited for.</param>
    private RpcFailure FailureOf(IpcException e, bool waited)
    {
        if (e.Status == IpcStatus.Refused)
            return new RpcFailure(RpcStatus.Unauthenticated, "The server " + _name + " refused the connection: " + e.Message, null, e);
        RpcStatus status = e.Status is IpcStatus.InvalidName or IpcStatus.InvalidArgument ? RpcStatus.InvalidArgument : RpcStatus.Unavailable;
        string text = e.Status == IpcStatus.NotFound && !waited
            ? "There is no server " + _name + " now, and a call does not wait for one to appear; RpcClient.Connect does."
            : "No connection to the server " + _name + ": " + e.Message;
        return new RpcFailure(status, text, null, e);
    }

    private RpcFailure ClosedHere()
        => RpcFailure.OfConnection("The client of the server " + _name + " was disposed.", "The call was pending. Whether the server handled it is not known.");

    private void ThrowIfDisposed()
    {
        if (Volatile.Read(ref _disposed))
            throw new ObjectDisposedException(nameof(RpcClient));
    }

    private ConnectOptions ConnectOptionsFor(Deadline deadline) => new()
    {
        ToServerCapacity = Options.ToServerCapacity,
        ToClientCapacity = Options.ToClientCapacity,
        LoanBudget = Options.LoanBudget,
        WaitMode = Options.WaitMode,
        Deadline = deadline,
        Hello = Options.Hello,
    };
}
