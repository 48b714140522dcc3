using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// A client outlives its connections. A call takes the present channel; when that turns out to be over, a synchronous
// call connects again itself, and an asynchronous one has it done (ClientSession.Aside.cs), without waiting for a
// server to appear: a missing one is found out by opening a file. What is slow or rude (a server that refuses, is full,
// or does not answer) is not tried again before a pause with jitter has passed; calls in the pause fail at once with
// the reason of the last attempt.

/// <summary>What all views of one client share: name, options, and the present channel.</summary>
// who closes may be waited for by who is connecting: its token source has neither timer nor handle
#pragma warning disable CA1001, CA2213
internal sealed partial class ClientSession : ICallRoute, IDisposable
#pragma warning restore CA1001, CA2213
{
    private const int FirstPause = 10;
    private const int LongestPause = 1000;

    private static readonly TimeSpan _longest = TimeSpan.FromDays(20); // what a timer takes

    private readonly object _connecting = new(); // held while somebody connects
    private readonly CancellationTokenSource _closing = new();
    private readonly Random _jitter = new(); // this, pause, moment and refusal: under the gate of what waits
    private readonly string _name;
    private readonly ServiceHost? _callbacks; // what all connections offer to the server
    // whose subscribers must not keep the client: its lease has it
    private readonly WeakReference<ConnectionEvents> _events;
    private ClientChannel? _channel; // [made]
    private int _pause;
    private Deadline _retryAt = Deadline.Now;
    private RpcFailure? _refusal;
    private bool _disposed; // [flag]

    /// <param name="name">The server's.</param>
    /// <param name="options">Checked, and its own.</param>
    /// <param name="events">Is told about connections, while somebody else holds it.</param>
    public ClientSession(string name, RpcClientOptions options, ConnectionEvents events)
    {
        _events = new WeakReference<ConnectionEvents>(events);
        _name = name;
        Options = options;
        _callbacks = options.Services.Count == 0 ? null : CallbackHost(name, options);
        _early = new EarlyRequests(options.MaxQueuedBytes, options.MaxPendingCalls) { Emptied = StopAttempt };
    }

    public string Name => _name;

    private string Peer => PeerName.OfServer(_name);

    public RpcClientOptions Options { get; }

    /// <summary>Fires when the client is disposed.</summary>
    public CancellationToken Closing => _closing.Token;

    public int StreamWindow => Options.StreamWindow;

    public ClientChannel? Channel => Volatile.Read(ref _channel);

    /// <summary>Sees to it that there is a connection, waiting for a server. Calls do not wait meanwhile: the lock is
    /// taken only when there is one.</summary>
    public void EnsureConnected(TimeSpan patience, CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        Channel?.LeaveIfGone();
        if (Channel is { TakesCalls: true })
            return;

        Connection connection;
        try
        {
            Deadline deadline = patience == Timeout.InfiniteTimeSpan ? Deadline.Never : Deadline.After(patience);
            connection = Connection.Connect(_name, ConnectOptionsFor(deadline), cancellationToken);
        }
        catch (IpcException e) when (e.Status == IpcStatus.Cancelled)
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
        catch (IpcException e) when (IsAboutServer(e))
        {
            throw FailureOf(e, waited: patience != TimeSpan.Zero).ToException(cancellationToken, null, Peer);
        }

        lock (_connecting)
            TakeUnlessLate(connection);

        ThrowIfDisposed();
    }

    /// <summary>Whether the server is the reason, and not what was asked for.</summary>
    private static bool IsAboutServer(IpcException e) =>
        e.Status is not (IpcStatus.InvalidName or IpcStatus.InvalidArgument);

    /// <summary>Under the lock.</summary>
    private void TakeUnlessLate(Connection connection)
    {
        if (Channel is { TakesCalls: true } || Volatile.Read(ref _disposed))
            connection.Dispose(); // a call was faster, or it is too late
        else
            Take(Start(connection));
    }

    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        // [disposed] a call that is connecting sees it after storing its channel, or we see the channel
        Interlocked.MemoryBarrier();
        Channel?.End(ClosedHere());
        EndLeft();
        FailEarly(ClosedBefore(), upTo: long.MaxValue);
        _closing.Cancel();
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
            System.Diagnostics.Trace.TraceError(
                "Closing the forgotten client of " + Peer + " failed: " + ErrorText.Whole(e));
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

    /// <inheritdoc/>
    public CallEngine? GetNow(CallEngine? stale) =>
        Channel is { TakesCalls: true } channel && !ReferenceEquals(channel.Engine, stale) ? channel.Engine : null;

    private ClientChannel Reconnect(
        CallEngine? stale, RpcMethod method, Deadline deadline, CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        ClientChannel? present = Channel; // none: the first call of a client that was only opened
        if (End is { } ended)
            throw ended.OfUnsent().ToException(cancellationToken, method, Peer);

        // The stale one may not be over yet, where what came on it is still being read: here, or by another thread.
        bool isStale = present is { TakesCalls: true } && ReferenceEquals(present.Engine, stale);
        if (isStale || !EnterConnecting(deadline, cancellationToken))
        {
            RpcFailure late = cancellationToken.IsCancellationRequested
                ? RpcFailure.Cancelled(method)
                : isStale && !deadline.HasPassed
                ? RpcFailure.OfConnection("The server has gone, and what it had sent before is still being read.")
                : RpcFailure.Deadline(method);
            throw late.ToException(cancellationToken, method, Peer);
        }

        try
        {
            ThrowIfDisposedMeanwhile(method);
            present = Channel;
            if (present is { TakesCalls: true } && !ReferenceEquals(present.Engine, stale))
                return present; // another thread was faster
            if (End is { } over)
                throw over.OfUnsent().ToException(cancellationToken, method, Peer); // ... and it has ended since
            RpcFailure? refusal;
            lock (_early.Gate)
                refusal = RefusalNow();
            if (refusal is not null)
                throw refusal.ToException(cancellationToken, method, Peer);

            ClientChannel channel = ConnectAgain(method, deadline, cancellationToken);
            Take(channel);
            ThrowIfDisposedMeanwhile(method);
            return channel;
        }
        finally
        {
            Monitor.Exit(_connecting);
        }
    }

    /// <summary>Makes a channel the present one, and ends it if the client was disposed meanwhile. Under the
    /// lock.</summary>
    private void Take(ClientChannel channel)
    {
        Show(channel);
        if (_events.TryGetTarget(out ConnectionEvents? events) && events.HasAny) // [watched]
            channel.Watch();
        if (Volatile.Read(ref _disposed)) // [disposed]
            channel.End(ClosedHere());
    }

    private void Lost(ClientChannel channel, RpcFailure reason)
    {
        Tell(new RpcConnectionChangedEventArgs(RpcConnectionChangeKind.Lost, channel.ServerProcessId, reason.Cause));
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.ConnectionLost(_name, channel.ServerProcessId, reason.Cause);
    }

    private void Tell(RpcConnectionChangedEventArgs change)
    {
        if (_events.TryGetTarget(out ConnectionEvents? events))
            events.Add(change);
    }

    private ClientChannel Start(Connection connection)
    {
        var channel = new ClientChannel(this, _name, connection, Options);
        Channel?.TellEnd(); // one event after the other
        Tell(new RpcConnectionChangedEventArgs(RpcConnectionChangeKind.Connected, channel.ServerProcessId, null));
        channel.WhenEnded(reason => Lost(channel, reason));
        if (RpcEvents.Log.IsEnabled())
            RpcEvents.Log.Connected(_name, channel.ServerProcessId);
        if (_callbacks is not null)
        {
            channel.Serve(_callbacks);
            channel.Watch();
        }

        Started?.Invoke(channel);
        return channel;
    }

    /// <summary>Sees to it that the end of the present connection is noticed without a call.</summary>
    public void Watch()
    {
        Interlocked.MemoryBarrier(); // [watched] who shows a connection sees the subscriber, or we see the connection
        Channel?.Watch();
    }

    private bool EnterConnecting(Deadline deadline, CancellationToken cancellationToken)
    {
        const int Slice = 20;
        while (!Monitor.TryEnter(
            _connecting, (int)Math.Max(0, Math.Min(Math.Ceiling(deadline.Remaining.TotalMilliseconds), Slice))))
        {
            if (deadline.HasPassed || cancellationToken.IsCancellationRequested)
                return false;
        }

        return true;
    }

    private ClientChannel ConnectAgain(RpcMethod method, Deadline deadline, CancellationToken cancellationToken)
    {
        TimeSpan most = Options.ConnectTimeout == Timeout.InfiniteTimeSpan ? _longest : Options.ConnectTimeout;
        TimeSpan timeout = deadline.Remaining < most ? deadline.Remaining : most;
        if (TryConnect(timeout, cancellationToken, out RpcFailure? failure) is { } channel)
            return channel;

        ThrowIfDisposedMeanwhile(method);
        if (failure is null)
            failure = RpcFailure.Cancelled(method);
        else if (deadline.HasPassed)
            failure = RpcFailure.Deadline(method);
        throw failure.ToException(cancellationToken, method, Peer);
    }

    /// <summary>Connects to a server that is there.</summary>
    /// <param name="patience">How long it may take to answer.</param>
    /// <param name="cancellationToken">Ends that.</param>
    /// <param name="failure">Why there is no connection; <see langword="null"/> when it was cancelled, or the client
    /// was disposed.</param>
    private ClientChannel? TryConnect(TimeSpan patience, CancellationToken cancellationToken, out RpcFailure? failure)
    {
        // Deadline.Now: the server has to be there. The token bounds how long it may take to answer.
        using var bounded = new DeadlineSource(Deadline.After(patience), cancellationToken, _closing.Token);
        failure = null;
        try
        {
            return Start(Connection.Connect(_name, ConnectOptionsFor(Deadline.Now), bounded.Token));
        }
        catch (IpcException e) when (e.Status == IpcStatus.Cancelled)
        {
            if (cancellationToken.IsCancellationRequested || _closing.IsCancellationRequested)
                return null;

            failure = new RpcFailure(
                RpcStatus.Unavailable,
                PeerName.First(Peer) + " did not answer within " +
                patience.TotalMilliseconds.ToString("0", CultureInfo.InvariantCulture) + " ms.",
                null,
                e,
                isUnsent: true);
            Pause(failure);
        }
        catch (IpcException e)
        {
            failure = FailureOf(e, waited: false);
            // its successor may be there already
            if (e.Status is not (IpcStatus.NotFound or IpcStatus.PeerDied or IpcStatus.PeerClosed))
                Pause(failure);
        }

        return null;
    }

    private void Pause(RpcFailure refusal)
    {
        lock (_early.Gate)
        {
            _refusal = refusal;
            _pause = Math.Min(LongestPause, Math.Max(FirstPause, _pause * 2));
            _retryAt = Deadline.After(TimeSpan.FromMilliseconds(_pause * (0.5 + _jitter.NextDouble())));
        }
    }

    /// <summary>What calls fail with while the server is not to be asked again. Under the gate.</summary>
    private RpcFailure? RefusalNow() => _refusal is { } refusal && !_retryAt.HasPassed ? refusal : null;

    /// <param name="e">What connecting failed with.</param>
    /// <param name="waited">Whether a server was waited for.</param>
    private RpcFailure FailureOf(IpcException e, bool waited)
    {
        if (e.Status == IpcStatus.Refused)
            return new RpcFailure(
                RpcStatus.Unauthenticated,
                PeerName.First(Peer) + " refused the connection: " + e.Message,
                null,
                e,
                isUnsent: true);
        string text = e.Status == IpcStatus.NotFound && !waited
            ? "There is no server \"" + _name + "\"" +
                " now, and a call does not wait for one to appear; connecting does."
            : NoConnection(e);
        return new RpcFailure(StatusOf(e.Status), text, null, e, isUnsent: true);
    }

    private string NoConnection(Exception e) => "No connection to " + Peer + ": " + e.Message;

    private RpcFailure ClosedHere() => RpcFailure.OfConnection(
        "The client of " + Peer + " was disposed.",
        "Whether the server handled the call is not known.");

    private RpcFailure ClosedBefore() => // no connection has taken the request yet
        new(RpcStatus.Unavailable, "The client of " + Peer + " was disposed.", null, null, isUnsent: true);

    /// <summary>For a call that has begun, and has no connection yet.</summary>
    private void ThrowIfDisposedMeanwhile(RpcMethod method)
    {
        if (Volatile.Read(ref _disposed))
            throw ClosedBefore().ToException(CancellationToken.None, method, Peer);
    }

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
        Access = Options.Access,
        Deadline = deadline,
        Hello = Options.Hello,
        Protocol = FrameHeader.Protocol,
    };

    /// <summary>What a client offers to its server.</summary>
    /// <exception cref="ArgumentException">Two methods have the same name or the same id.</exception>
    private static ServiceHost CallbackHost(string name, RpcClientOptions options)
    {
        var handlers = new Dictionary<uint, RpcHandler>();
        foreach (RpcService service in options.Services)
            ServiceHost.Add(handlers, service);
        var rules = new HostRules
        {
            PendingCallsOption = nameof(RpcClientOptions) + "." + nameof(RpcClientOptions.MaxPendingCalls),
            MaxPendingCalls = options.MaxPendingCalls,
            HeldBytesOption = nameof(RpcClientOptions) + "." + nameof(RpcClientOptions.MaxHeldBytes),
            MaxHeldBytes = options.MaxHeldBytes,
            OrderedCalls = options.OrderedCallbacks,
            StreamWindow = Math.Max(FrameHeader.FirstClientCredit, options.StreamWindow),
            HandlerFailed = options.CallbackFailed,
            Serializers = options.Serializer is null ? [] : [options.Serializer],
        };
        return new ServiceHost(name, handlers, rules, "client");
    }
}
