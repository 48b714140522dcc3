using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Calls a server's methods. Generated proxies use it. Any number of threads may use one client at
/// once.</summary>
/// <remarks>
/// <para>A synchronous call encodes its request into shared memory, reads its own reply on the calling thread, and
/// allocates nothing but the response. Every call ends: response, <see cref="RpcCallException"/>, or cancellation. When
/// the server dies, pending calls fail at once with <see cref="RpcStatus.Unavailable"/>, and the next call reconnects
/// if there is a server.</para>
/// <para>Awaiting an asynchronous call first reads on the awaiting thread for a few microseconds; most replies arrive
/// in this time.</para>
/// <para>Dispose it. A client that was not disposed closes its connection when the garbage collector finds that the
/// client, its views and its pending calls are no longer referenced; subscribers of <see cref="ConnectionChanged"/> and
/// its services do not keep it alive.</para>
/// <para>While there is no connection, or the ring to the server is full, a synchronous call waits. An asynchronous
/// call does not block: its request is queued, up to <see cref="RpcClientOptions.MaxQueuedBytes"/>; beyond that it
/// fails with <see cref="RpcStatus.ResourceExhausted"/>. Awaiting the calls, also one-way calls, limits the
/// queue.</para>
/// </remarks>
/// <example><code>
/// using RpcClient client = RpcClient.Connect("sysmon");
/// ISystemMonitor monitor = SystemMonitorRpc.Client(client);
/// Table table = monitor.Get(request);
/// </code></example>
public sealed class RpcClient : RpcCaller, IDisposable, IAsyncDisposable
{
    private readonly ClientSession _session;
    private readonly CallSetup _setup;
    private readonly RouteCaller _direct;
    private readonly RpcCaller? _intercepted;
    private readonly bool _isView;

    private RpcClient(ClientSession session, CallSetup setup, bool isView)
    {
        _session = session;
        _setup = setup;
        _direct = new RouteCaller(session, setup);
        _isView = isView;
        if (session.Options.WaitForReady || session.Options.Retry is not null)
            _intercepted = new RetryingCaller(session, setup, _direct);
        IList<Func<RpcCaller, RpcCaller>> interceptors = session.Options.Interceptors;
        for (int i = interceptors.Count - 1; i >= 0; i--)
            _intercepted = interceptors[i](_intercepted ?? _direct)
                ?? throw new InvalidOperationException(
                    "An interceptor of RpcClientOptions.Interceptors returned null.");
    }

    /// <summary>Raised when the connection is lost and when a new one is made, except for the first one made by
    /// <see cref="Connect"/>.</summary>
    /// <remarks>Handlers run in order, one at a time, on the thread pool. While there are subscribers, a thread reads
    /// the connection, so that a loss is noticed without a call.</remarks>
    public event EventHandler<RpcConnectionChangedEventArgs>? ConnectionChanged
    {
        add
        {
            _setup.Lease!.Events.Subscribe(value);
            _session.Watch();
        }
        remove => _setup.Lease!.Events.Unsubscribe(value);
    }

    /// <summary>The name of the server.</summary>
    public string Name => _session.Name;

    /// <summary>Whether there is a connection. The death of the server may not have been noticed yet.</summary>
    public bool IsConnected => _session.Channel is { TakesCalls: true };

    /// <summary>The server's process of the current connection, or of the last one; 0 before the first
    /// connection.</summary>
    public int ServerProcessId => _session.Channel?.ServerProcessId ?? 0;

    internal ClientSession Session => _session;

    /// <summary>Connects to the server <paramref name="name"/>, waiting for it up to
    /// <see cref="RpcClientOptions.ConnectTimeout"/>.</summary>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unavailable"/>: there is none, or it does not answer;
    /// <see cref="RpcStatus.Unauthenticated"/>: it refused, with its text.</exception>
    /// <exception cref="IpcException">The name, a capacity or the hello is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    public static RpcClient Connect(
        string name, RpcClientOptions? options = null, CancellationToken cancellationToken = default)
    {
        RpcClient client = Create(name, options);
        client.EnsureConnected(client._session.Options.ConnectTimeout, cancellationToken);
        return client;
    }

    /// <summary>Connects to the server <paramref name="name"/>, waiting for it up to
    /// <see cref="RpcClientOptions.ConnectTimeout"/>. No thread is held meanwhile.</summary>
    /// <remarks>It runs on the caller's thread as long as it need not wait. Code after <c>await</c> runs on the thread
    /// pool, or in the captured context. All errors of connecting are thrown by the task.</remarks>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unavailable"/>: there is none, or it does not answer;
    /// <see cref="RpcStatus.Unauthenticated"/>: it refused, with its text.</exception>
    /// <exception cref="IpcException">The name, a capacity or the hello is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    public static Task<RpcClient> ConnectAsync(
        string name, RpcClientOptions? options = null, CancellationToken cancellationToken = default)
        => ConnectedAsync(Create(name, options), cancellationToken);

    private static async Task<RpcClient> ConnectedAsync(RpcClient client, CancellationToken cancellationToken)
    {
        try
        {
            await client._session.EnsureConnectedAsync(
                client._session.Options.ConnectTimeout, cancellationToken).ConfigureAwait(false);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    /// <summary>Creates a client that connects with its first call, and reconnects with any later call when there is no
    /// connection: for programs that start before their servers, or continue without them.</summary>
    /// <remarks>A call does not wait for a server to appear: without one it fails at once with
    /// <see cref="RpcStatus.Unavailable"/>, and the next call tries again.
    /// <see cref="RpcClientOptions.ConnectTimeout"/> limits the time for the server's answer. With an invalid name the
    /// calls fail with <see cref="RpcStatus.InvalidArgument"/>.</remarks>
    public static RpcClient Create(string name, RpcClientOptions? options = null)
    {
        if (name is null)
            throw new ArgumentNullException(nameof(name));

        RpcClientOptions copy = (options ?? new RpcClientOptions()).Checked();
        var events = new ConnectionEvents();
        var session = new ClientSession(name, copy, events);
        CallSetup setup = CallSetup.Default.WithLease(
            new ClientLease(session, events)).WithTimeout(copy.CallTimeout).WithFormat(CallFormat.Of(copy.Serializer));
        RpcClient client = new(session, setup, isView: false);
        events.Sender = client;
        return client;
    }

    /// <summary>Connects now if there is no connection, waiting up to <paramref name="timeout"/> for a server to exist
    /// and to answer. Use it before the first call of a client from <see cref="Create"/>, after the server was lost, or
    /// to check whether there is a server.</summary>
    /// <remarks>With <see cref="TimeSpan.Zero"/> the server must exist already, and has 5 seconds to answer. Calls of
    /// other threads do not wait for this. Calls that are under way at a server that has gone still get what it had
    /// sent. A server that was killed this very moment may be taken for there, until the system has told of its
    /// end.</remarks>
    /// <exception cref="RpcCallException">As from <see cref="Connect"/>.</exception>
    /// <exception cref="IpcException">The name, a capacity or the hello is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public void EnsureConnected(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        _session.EnsureConnected(timeout, cancellationToken);
        GC.KeepAlive(_setup.Lease);
    }

    /// <summary>As <see cref="EnsureConnected"/>, without blocking a thread while it waits.</summary>
    /// <remarks>As of <see cref="EnsureConnected"/>. Several may be pending. <see cref="Dispose"/> ends them.</remarks>
    /// <exception cref="RpcCallException">As from <see cref="ConnectAsync"/>.</exception>
    /// <exception cref="IpcException">The name, a capacity or the hello is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed before or during the wait.</exception>
    public Task EnsureConnectedAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        return KeptAsync(timeout, cancellationToken);
    }

    private async Task KeptAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        await _session.EnsureConnectedAsync(timeout, cancellationToken).ConfigureAwait(false);
        GC.KeepAlive(_setup.Lease);
    }

    /// <summary>Returns a view of this client with another timeout for unary calls. Disposing the view does
    /// nothing.</summary>
    /// <remarks>The deadline is sent with the request: the handler's token fires when it passes.</remarks>
    public RpcClient WithTimeout(TimeSpan timeout)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        return new RpcClient(_session, _setup.WithTimeout(timeout), isView: true);
    }

    /// <summary>Returns a view of this client whose calls and streams end at <paramref name="until"/> at the latest,
    /// with <see cref="RpcStatus.DeadlineExceeded"/>; <see cref="Deadline.Never"/> takes an earlier one back. A timeout
    /// holds besides. Disposing the view does nothing.</summary>
    /// <remarks>The deadline is sent with the request: the handler's token fires when it passes.</remarks>
    public RpcClient WithDeadline(Deadline until) => new(_session, _setup.WithDeadline(until), isView: true);

    /// <summary>Returns a view of this client whose requests carry this metadata instead of any earlier one. Disposing
    /// the view does nothing.</summary>
    /// <remarks>The metadata is copied: later changes have no effect.</remarks>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.InvalidArgument"/>: it is too long for a
    /// request.</exception>
    public RpcClient With(RpcMetadata metadata)
        => new(
            _session, _setup.WithMetadata(metadata ?? throw new ArgumentNullException(nameof(metadata))), isView: true);

    /// <summary>Returns a view of this client for one call of a method with <see cref="IpcOnceAttribute"/>, which is
    /// executed once under this id, whoever makes it how often. Disposing the view does nothing.</summary>
    /// <remarks>So a program repeats, after its own restart, a call that it had made before: with the same id and the
    /// same request, as the same user. Calls of other methods are not affected.</remarks>
    public RpcClient WithOnceId(RpcOnceId id)
        => new(
            _session,
            _setup.WithGivenOnce(
                id.Ticks != 0
                    ? id
                    : throw new ArgumentException("This is no id; RpcOnceId.New() makes one.", nameof(id))),
            isView: true);

    /// <summary>Returns a view of this client that passes the metadata of each answer to <paramref name="answer"/>.
    /// Disposing the view does nothing.</summary>
    /// <remarks>It is called on the thread that gets the result or the error, before it gets it; it is not called if
    /// there was no answer.</remarks>
    public RpcClient WithAnswer(Action<RpcMetadata> answer)
        => new(_session, _setup.WithAnswer(answer ?? throw new ArgumentNullException(nameof(answer))), isView: true);

    /// <summary>Returns a proxy of the contract, as the generated <c>QuotesRpc.Client(client)</c> does, by the type of
    /// the interface.</summary>
    /// <exception cref="InvalidOperationException">The contract is not registered
    /// (<see cref="RpcContracts"/>).</exception>
    public TContract For<TContract>()
        where TContract : class
        => RpcContracts.Client<TContract>(this);

    /// <summary>Holds back the requests that the calling thread sends, until the batch is disposed; see
    /// <see cref="RpcBatch"/>.</summary>
    public RpcBatch Batch() => new(_session, _setup.Lease!);

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => _intercepted is null
            ? _direct.Call(method, in request, cancellationToken)
            : _intercepted.Call(method, in request, cancellationToken);

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => _intercepted is null
            ? _direct.CallAsync(method, in request, cancellationToken)
            : _intercepted.CallAsync(method, in request, cancellationToken);

    /// <inheritdoc/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
        => (_intercepted ?? _direct).CallAsync(method, in request, progress, cancellationToken);

    /// <inheritdoc/>
    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
        => (_intercepted ?? _direct).Notify(method, in request);

    /// <inheritdoc/>
    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
        => (_intercepted ?? _direct).NotifyAsync(method, in request, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>The server is ahead of the consumer by at most <see cref="RpcClientOptions.StreamWindow"/> items.
    /// Timeouts of calls do not apply: a stream ends when its server, its consumer,
    /// <paramref name="cancellationToken"/> or the deadline of <see cref="WithDeadline"/> ends it.</remarks>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => (_intercepted ?? _direct).Stream(method, request, cancellationToken);

    /// <inheritdoc/>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => (_intercepted ?? _direct).ClientStream(method, request, items, cancellationToken);

    /// <inheritdoc/>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => (_intercepted ?? _direct).Duplex(method, request, items, cancellationToken);

    /// <summary>Ends every pending call with <see cref="RpcStatus.Unavailable"/> and closes the connection. It never
    /// waits, and may be called on any thread and several times.</summary>
    public void Dispose()
    {
        if (_isView)
            return;

        _setup.Lease!.Dispose();
        _session.Dispose();
        GC.KeepAlive(_setup.Lease); // its subscribers are told of the end: the session knows them weakly
    }

    /// <summary>The same as <see cref="Dispose"/>, which does not wait: queued requests are not sent. Await calls whose
    /// result matters before.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return default;
    }
}
