using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// A client outlives its connections. A call takes the present channel; when that turns out to be over, the call itself
// connects again, without waiting for a server to appear: a missing one is found out by opening a file. What is slow or
// rude (a server that refuses, is full, or does not answer) is not tried again before a pause with jitter has passed;
// calls in the pause fail at once with the reason of the last attempt.

/// <summary>What all views of one client share: name, options, and the present channel.</summary>
internal sealed class ClientSession : IDisposable
{
    private const int FirstPause = 10;
    private const int LongestPause = 1000;
    private const int MaxAttempts = 3;

    private readonly object _connecting = new();
    private readonly Random _jitter = new(); // under _connecting
    private readonly string _name;
    private ClientChannel? _channel;
    private int _pause;
    private Deadline _retryAt = Deadline.Now;
    private RpcFailure? _refusal;
    private bool _disposed;

    public ClientSession(string name, RpcClientOptions options)
    {
        _name = name;
        Options = options;
        Format = CallFormat.Of(options.Serializer);
    }

    public string Name => _name;

    public RpcClientOptions Options { get; }

    /// <summary>How the messages of all its calls are written.</summary>
    public CallFormat Format { get; }

    public ClientChannel? Channel => Volatile.Read(ref _channel);

    /// <summary>Connects for the first time, waiting for a server.</summary>
    public void Connect(CancellationToken cancel)
    {
        try
        {
            Deadline deadline = Deadline.After(Options.ConnectTimeout);
            var connection = Connection.Connect(_name, ConnectOptionsFor(deadline), cancel);
            Volatile.Write(ref _channel, new ClientChannel(_name, connection, Options, Format));
        }
        catch (IpcException e) when (e.Status == IpcStatus.Cancelled)
        {
            throw new OperationCanceledException(e.Message, e, cancel);
        }
        catch (IpcException e) when (e.Status is not (IpcStatus.InvalidName or IpcStatus.InvalidArgument))
        {
            throw FailureOf(e).ToException(cancel);
        }
    }

    public TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, Deadline deadline, CancellationToken cancel)
    {
        ClientChannel? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            ClientChannel channel = Get(stale, method, deadline, cancel);
            if (channel.TryCall(method, in request, deadline, cancel, out TResponse response))
                return response;
            stale = channel;
        }

        throw stale!.Ended!.ToException(cancel);
    }

    public ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, Deadline deadline, CancellationToken cancel)
    {
        AsyncCall<TResponse> call = AsyncCall<TResponse>.Rent(method, Format.CodecFor(method.Response), deadline.Nanoseconds, cancel);
        ClientChannel channel;
        try
        {
            channel = Send(method, Format.CodecFor(method.Request), in request, call, 0, deadline, cancel);
        }
        catch
        {
            call.GiveBack();
            throw;
        }

        return call.Start(channel);
    }

    /// <summary>Sends the request of a stream or an asynchronous call.</summary>
    public ClientChannel Send<TRequest>(
        RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, PendingCall call, ushort credit, Deadline deadline, CancellationToken cancel)
    {
        ClientChannel? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            ClientChannel channel = Get(stale, method, deadline, cancel);
            if (channel.TrySendAwaited(method, codec, in request, call, credit, deadline, cancel))
                return channel;
            stale = channel;
        }

        throw stale!.Ended!.ToException(cancel);
    }

    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        Interlocked.MemoryBarrier(); // [disposed] a call that is connecting sees it after storing its channel, or we see the channel
        Channel?.End(ClosedHere());
    }

    /// <summary>The present channel; a new one if that is over or <paramref name="stale"/>.</summary>
    private ClientChannel Get(ClientChannel? stale, RpcMethod method, Deadline deadline, CancellationToken cancel)
    {
        ClientChannel? channel = Volatile.Read(ref _channel);
        if (channel is not null && channel.Ended is null && !ReferenceEquals(channel, stale))
            return channel;

        return Reconnect(stale, method, deadline, cancel);
    }

    private ClientChannel Reconnect(ClientChannel? stale, RpcMethod method, Deadline deadline, CancellationToken cancel)
    {
        ThrowIfDisposed();
        ClientChannel present = Channel!;
        if (!Options.AutoReconnect && present.Ended is { } ended)
            throw ended.ToException(cancel);

        if (!EnterConnecting(deadline, cancel))
            throw (cancel.IsCancellationRequested ? RpcFailure.Cancelled(method) : RpcFailure.Deadline(method)).ToException(cancel);
        try
        {
            ThrowIfDisposed();
            present = Channel!;
            if (present.Ended is null && !ReferenceEquals(present, stale))
                return present; // another thread was faster
            if (!_retryAt.HasPassed && _refusal is { } refusal)
                throw refusal.ToException(cancel);

            ClientChannel channel = ConnectAgain(method, deadline, cancel);
            Interlocked.Exchange(ref _channel, channel);
            if (Volatile.Read(ref _disposed)) // [disposed]
            {
                channel.End(ClosedHere());
                ThrowIfDisposed();
            }

            return channel;
        }
        finally
        {
            Monitor.Exit(_connecting);
        }
    }

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
        TimeSpan patience = deadline.Remaining < Options.ConnectTimeout ? deadline.Remaining : Options.ConnectTimeout;
        using var bounded = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        bounded.CancelAfter(patience < TimeSpan.Zero ? TimeSpan.Zero : patience);
        try
        {
            var connection = Connection.Connect(_name, ConnectOptionsFor(Deadline.Now), bounded.Token);
            _pause = 0;
            _refusal = null;
            return new ClientChannel(_name, connection, Options, Format);
        }
        catch (IpcException e) when (e.Status == IpcStatus.Cancelled)
        {
            if (cancel.IsCancellationRequested)
                throw RpcFailure.Cancelled(method).ToException(cancel);

            Pause(new RpcFailure(
                RpcStatus.Unavailable,
                "The server " + _name + " did not answer within " + patience.TotalMilliseconds.ToString("0", CultureInfo.InvariantCulture) + " ms.", null, e));
            throw (deadline.HasPassed ? RpcFailure.Deadline(method) : _refusal!).ToException(cancel);
        }
        catch (IpcException e)
        {
            RpcFailure failure = FailureOf(e);
            if (e.Status is not (IpcStatus.NotFound or IpcStatus.PeerDied or IpcStatus.PeerClosed)) // its successor may be there already
                Pause(failure);
            throw failure.ToException(cancel);
        }
    }

    private void Pause(RpcFailure refusal)
    {
        _refusal = refusal;
        _pause = Math.Min(LongestPause, Math.Max(FirstPause, _pause * 2));
        _retryAt = Deadline.After(TimeSpan.FromMilliseconds(_pause * (0.5 + _jitter.NextDouble())));
    }

    private RpcFailure FailureOf(IpcException e)
        => e.Status == IpcStatus.Refused
            ? new RpcFailure(RpcStatus.Unauthenticated, "The server " + _name + " refused the connection: " + e.Message, null, e)
            : new RpcFailure(RpcStatus.Unavailable, "No connection to the server " + _name + ": " + e.Message, null, e);

    private RpcFailure ClosedHere()
        => new(RpcStatus.Unavailable, "The client of " + _name + " was disposed while the call was pending. Whether the server handled it is not known.");

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
