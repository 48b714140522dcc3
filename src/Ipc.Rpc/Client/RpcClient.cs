using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Calls a server's methods. Generated proxies stand on it; any number of threads may use one at once.</summary>
/// <remarks>
/// <para>A synchronous call encodes its request into shared memory, reads its own reply on the calling thread, and allocates
/// nothing but the response. Every call ends: response, <see cref="RpcException"/>, or cancellation. When the server
/// dies, pending calls fail at once with <see cref="RpcStatus.Unavailable"/>, and the next call connects again if there is
/// a server.</para>
/// <para>Sending waits while the ring to the server is full, in asynchronous calls too: that is the back-pressure.</para>
/// </remarks>
/// <example><code>
/// using RpcClient client = RpcClient.Connect("sysmon");
/// ISystemMonitor monitor = SystemMonitorRpc.Client(client);
/// Table table = monitor.Get(request);
/// </code></example>
public sealed class RpcClient : RpcCaller, IDisposable
{
    private readonly ClientSession _session;
    private readonly TimeSpan _timeout;
    private readonly bool _isView;

    private RpcClient(ClientSession session, TimeSpan timeout, bool isView)
    {
        _session = session;
        _timeout = timeout;
        _isView = isView;
    }

    /// <summary>The name that the server is found by.</summary>
    public string Name => _session.Name;

    /// <summary>Whether there is a connection that is not known to be over. A server that died a moment ago may not be noticed yet.</summary>
    public bool IsConnected => _session.Channel is { Ended: null };

    /// <summary>The process that the present, or else the last, connection leads to.</summary>
    public int ServerProcessId => _session.Channel!.ServerProcessId;

    /// <summary>Connects to the server <paramref name="name"/>, waiting for it up to <see cref="RpcClientOptions.ConnectTimeout"/>.</summary>
    /// <exception cref="RpcException"><see cref="RpcStatus.Unavailable"/>: there is none, or it does not answer;
    /// <see cref="RpcStatus.Unauthenticated"/>: it refused, with its text.</exception>
    /// <exception cref="IpcException">The name, a capacity or the hello is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancel"/> was triggered.</exception>
    public static RpcClient Connect(string name, RpcClientOptions? options = null, CancellationToken cancel = default)
    {
        if (name is null)
            throw new ArgumentNullException(nameof(name));

        RpcClientOptions copy = (options ?? new RpcClientOptions()).Checked();
        var session = new ClientSession(name, copy);
        session.Connect(cancel);
        return new RpcClient(session, copy.CallTimeout, isView: false);
    }

    /// <summary>The same client with another time limit for unary calls. Disposing it does nothing.</summary>
    /// <remarks>The limit travels with the request: the handler's token fires when it has passed.</remarks>
    public RpcClient WithTimeout(TimeSpan timeout)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(nameof(timeout), timeout, "A time limit is not negative; Timeout.InfiniteTimeSpan is none.");
        return new RpcClient(_session, timeout, isView: true);
    }

    /// <summary>Calls and waits for the response, reading it on this thread.</summary>
    /// <exception cref="RpcException">The call failed; the status says why.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancel"/> was triggered; the server is told.</exception>
    public override TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancel = default)
    {
        Check(method, RpcMethodKind.Unary);
        cancel.ThrowIfCancellationRequested();
        return _session.Call(method, in request, CallDeadline(), cancel);
    }

    /// <summary>Calls without waiting for the response. Await the result exactly once.</summary>
    /// <exception cref="RpcException">The call failed; the status says why. Local refusals are thrown at once, the rest when awaited.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancel"/> was triggered; the server is told.</exception>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancel = default)
    {
        Check(method, RpcMethodKind.Unary);
        cancel.ThrowIfCancellationRequested();
        return _session.CallAsync(method, in request, CallDeadline(), cancel);
    }

    /// <summary>Asks for a stream: each enumeration is a call of its own, sent when its first item is asked for.</summary>
    /// <remarks>The server sends ahead of the consumer by at most <see cref="RpcClientOptions.StreamWindow"/> items. Time limits of
    /// calls do not apply: a stream ends when its server, its consumer or <paramref name="cancel"/> ends it.</remarks>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancel = default)
    {
        Check(method, RpcMethodKind.ServerStream);
        return new RpcStream<TRequest, TItem>(_session, method, request, cancel);
    }

    /// <inheritdoc/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method, in TRequest request, IProgress<TProgress> progress, CancellationToken cancel = default)
        => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancel = default)
        => throw new NotSupportedException();

    /// <inheritdoc/>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancel = default)
        => throw new NotSupportedException();

    /// <summary>Ends every pending call with <see cref="RpcStatus.Unavailable"/> and closes the connection. Never waits; any thread; any number of times.</summary>
    public void Dispose()
    {
        if (!_isView)
            _session.Dispose();
    }

    private Deadline CallDeadline()
    {
        Deadline own = _timeout == Timeout.InfiniteTimeSpan ? Deadline.Never : Deadline.After(_timeout);
        return Deadline.Earlier(own, RpcDeadline.Current); // of the handler that makes this call, if one does
    }

    private static void Check(RpcMethod method, RpcMethodKind kind)
    {
        if (method is null)
            throw new ArgumentNullException(nameof(method));
        if (method.Kind != kind)
            throw new ArgumentException(method.FullName + " is " + method.Kind + " and cannot be called as " + kind + ".", nameof(method));
    }
}
