using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Serves contracts under a name, to any number of clients in C# and C++.</summary>
/// <remarks>
/// A few threads serve all clients: the thread that reads a request runs its handler, and when that takes longer than
/// about a millisecond, another thread continues reading. A client whose calls delay others by more than about 30 us
/// gets a thread of its own while it is busy. So handlers run concurrently, and one that blocks does not delay the
/// others. An idle server uses no processor time.
/// </remarks>
/// <example><code>
/// using RpcServer server = RpcServer.Start("sysmon", SystemMonitorRpc.Service(new Monitor()));
/// </code></example>
public sealed class RpcServer : IDisposable, IAsyncDisposable
{
    private static readonly TimeSpan _disposeTimeout = TimeSpan.FromSeconds(5);

    private readonly object _gate = new();
    private readonly Dictionary<uint, RpcHandler> _handlers = new();
    private readonly Listener _listener;
    private readonly RpcServerOptions _options;
    private ServerLoop? _loop; // [made]
    private bool _disposed;

    private RpcServer(string name, Listener listener, RpcServerOptions options)
    {
        Name = name;
        _listener = listener;
        _options = options;
    }

    /// <summary>The name by which clients find it.</summary>
    public string Name { get; }

    /// <summary>How many clients are connected.</summary>
    public int ConnectionCount => Volatile.Read(ref _loop)?.ConnectionCount ?? 0;

    /// <summary>Whether new clients find it by its name. They do not after its file was removed or replaced; connected
    /// clients stay connected. It checks the directory once.</summary>
    public bool IsFindable => _listener.IsFindable;

    /// <summary>Another server has taken the name (<see cref="RpcServerOptions.TakeOver"/>); this one stops in
    /// good order, or has stopped.</summary>
    public bool IsFollowed => _listener.IsFollowed;

    /// <summary>How many one-way calls failed, because they were unknown, could not be decoded, were refused, or their
    /// handler threw. Their callers do not learn of it.</summary>
    public long FailedOneWayCalls => Volatile.Read(ref _loop)?.Host.FailedOneWayCalls ?? 0;

    /// <summary>How often a connection was given to a thread of its own.</summary>
    internal int AsideCount => Volatile.Read(ref _loop)?.AsideCount ?? 0;

    /// <summary>Called before a thread is started, once the server is. For tests.</summary>
    internal Action? StartingThread
    {
        set => _loop!.StartingThread = value;
    }

    /// <summary>Completes when the server has stopped; fails if its shared memory was destroyed.</summary>
    /// <exception cref="InvalidOperationException">It has not been started.</exception>
    public Task Completion =>
        (Volatile.Read(ref _loop) ?? throw new InvalidOperationException("The server has not been started."))
        .Completion;

    /// <summary>Opens the name and serves at once.</summary>
    /// <exception cref="IpcException">A live server has that name, or the name cannot be opened.</exception>
    /// <exception cref="ArgumentException">Two methods have the same name or the same id.</exception>
    public static RpcServer Start(string name, params RpcService[] services) => Start(name, null, services);

    /// <summary>Opens the name with options and serves at once.</summary>
    /// <exception cref="IpcException">A live server has that name, or the name cannot be opened.</exception>
    /// <exception cref="ArgumentException">Two methods have the same name or the same id.</exception>
    public static RpcServer Start(string name, RpcServerOptions? options, params RpcService[] services)
    {
        if (services is null)
            throw new ArgumentNullException(nameof(services));

        // Before the name is taken: another server may have to give it up, and would be gone for nothing.
        Dictionary<uint, RpcHandler> handlers = new();
        foreach (RpcService service in services)
            ServiceHost.Add(handlers, service ?? throw new ArgumentNullException(nameof(services)));

        RpcServer server = Open(name, options);
        try
        {
            foreach (RpcService service in services)
                server.Add(service);
            server.Start();
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>Takes the name without serving yet. Clients that connect wait until <see cref="Start()"/>.</summary>
    /// <exception cref="IpcException">A live server has that name, or the name cannot be opened.</exception>
    public static RpcServer Open(string name, RpcServerOptions? options = null)
    {
        if (name is null)
            throw new ArgumentNullException(nameof(name));

        RpcServerOptions copy = (options ?? new RpcServerOptions()).Checked();
        Listener listener = Listener.Open(name, new ListenerOptions
        {
            MaxConnections = copy.MaxConnections,
            MaxRingCapacity = copy.MaxRingCapacity,
            MaxLoanBudget = copy.MaxLoanBudget,
            WaitMode = copy.WaitMode,
            Access = copy.Access,
            Protocol = FrameHeader.Protocol,
            TakeOver = copy.TakeOver,
        });
        return new RpcServer(name, listener, copy);
    }

    /// <summary>Adds an implementation, before <see cref="Start()"/>.</summary>
    /// <exception cref="ArgumentException">Another method has the same name, or by chance the same id.</exception>
    public RpcServer Add(RpcService service)
    {
        if (service is null)
            throw new ArgumentNullException(nameof(service));

        lock (_gate)
        {
            if (_loop is not null)
                throw new InvalidOperationException("The server has been started; services are added before.");

            ServiceHost.Add(_handlers, service);
        }

        return this;
    }

    /// <summary>Begins to serve.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (_disposed)
                throw new ObjectDisposedException(nameof(RpcServer));
            if (_loop is not null)
                throw new InvalidOperationException("The server has been started already.");

            var loop = new ServerLoop(Name, _listener, _options, _handlers);
            loop.Followed = StopBehind;
            Volatile.Write(ref _loop, loop);
            try
            {
                loop.Start();
            }
            catch
            {
                Volatile.Write(ref _loop, null); // there is nobody whose end could be waited for
                throw;
            }
        }
    }

    /// <summary>Stops gracefully: accepts no further clients and calls, waits for pending calls, then stops.</summary>
    /// <remarks>Calls whose requests it has not taken by then are made again by their clients, of the next server with
    /// that name (<see cref="RpcClientOptions.AutoReconnect"/>, <see cref="RpcClientOptions.WaitForReady"/>): a server
    /// can be restarted without a failed call of clients that wait for it.
    /// <para>Completes when the server has ended. When <paramref name="cancellationToken"/> fires, the tokens of
    /// pending handlers fire, their callers get <see cref="RpcStatus.Unavailable"/>, and the task completes without an
    /// exception. No thread is blocked meanwhile. A handler may call it but must not await it, because its own call is
    /// pending.</para>
    /// <para>Without a token there is no limit: it waits for ever for a handler that does not return, and for a client
    /// that stays connected and does not read its answers. A token or a timeout
    /// (<see cref="StopAsync(TimeSpan, CancellationToken)"/>) limits the wait.</para></remarks>
    /// <param name="cancellationToken">Ends the wait for pending calls and streams.</param>
    public Task StopAsync(
        CancellationToken cancellationToken = default) => StopAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Stops gracefully, as <see cref="StopAsync(CancellationToken)"/>, with a timeout.</summary>
    /// <param name="timeout">How long to wait for pending calls and streams; then their tokens fire.</param>
    /// <param name="cancellationToken">Ends that wait earlier.</param>
    public Task StopAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        return StoppedAsync(Deadline.After(timeout), cancellationToken);
    }

    /// <summary>Another server has the name. On the thread that leads, which cannot wait for the others to
    /// end.</summary>
    private void StopBehind() => ThreadPool.UnsafeQueueUserWorkItem(
        static server => _ = ((RpcServer)server!).StoppedAsync(Deadline.Never, CancellationToken.None), this);

    private async Task StoppedAsync(Deadline until, CancellationToken cancellationToken)
    {
        if (Volatile.Read(ref _loop) is { } loop)
        {
            loop.Host.Drain();
            // Looked at now and then: an end of its own for "no call is pending" would be work at the end of every
            // call, for what happens once.
            while (loop.HasCalls && !loop.Completion.IsCompleted &&
                !until.HasPassed && !cancellationToken.IsCancellationRequested)
            {
                await Task.Delay(2, CancellationToken.None).ConfigureAwait(false);
            }
        }

        await DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Stops at once: connections are closed, the tokens of pending handlers fire, the name is free when this
    /// returns.</summary>
    /// <remarks>It does not wait for handlers, and a handler may call it. When it is called from other code that the
    /// server runs (an inline handler, <see cref="RpcServerOptions.Accept"/>, a property of a message), it starts the
    /// shutdown and returns; the name is free a moment later. It may be called several times.</remarks>
    public void Dispose()
    {
        // A few milliseconds at most, unless as many handlers are blocked as there may be threads.
        if (BeginEnd() is { } ended)
            ((IAsyncResult)ended).AsyncWaitHandle.WaitOne(_disposeTimeout);
    }

    /// <summary>Stops at once, as <see cref="Dispose"/>, and completes when the name is free. No thread is blocked
    /// meanwhile. <see cref="StopAsync(CancellationToken)"/> waits for pending calls first.</summary>
    public async ValueTask DisposeAsync()
    {
        if (BeginEnd() is not { IsCompleted: false } ended)
            return;
        using var over = new CancellationTokenSource();
        await Task.WhenAny(ended, Task.Delay(_disposeTimeout, over.Token)).ConfigureAwait(false);
        over.Cancel();
    }

    /// <summary>Begins the end, and returns what completes with it; <see langword="null"/> when there is nothing to
    /// wait for.</summary>
    private Task? BeginEnd()
    {
        ServerLoop? loop;
        lock (_gate)
        {
            if (_disposed && _loop is null)
                return null;
            _disposed = true;
            loop = _loop;
        }

        if (loop is null)
        {
            _listener.Dispose();
            return null;
        }

        loop.Stop();
        // in a decoder, an inline handler and the like: the server ends as soon as that returns
        return loop.IsHeldUpHere ? null : loop.Completion;
    }
}
