using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Keeps one link to a broker: opens the first one, and after each one's end another, with pauses that grow
/// and differ from client to client. One that ends soon after it was opened, over and over, is no reason to try faster:
/// perhaps it is a message that ends it, and comes again each time.</summary>
internal sealed class Recovery<TLink> : IAsyncDisposable
    where TLink : BrokerLink
{
    private const int ManyEnds = 3;

    private readonly RabbitMqAddress _address;
    private readonly RabbitMqOptions _options;
    private readonly string _role;
    private readonly Func<IConnection, TLink> _make;
    private readonly CancellationTokenSource _closing = new();
    private readonly object _gate = new();
    private TaskCompletionSource<TLink> _next = Waiting();
    private TLink? _link;
    private RpcCallException? _failure; // of the last attempt
    private Task? _run;

    public Recovery(RabbitMqAddress address, RabbitMqOptions options, string role, Func<IConnection, TLink> make)
    {
        _address = address;
        _options = options;
        _role = role;
        _make = make;
    }

    /// <summary>The link that is open; <see langword="null"/> when there is none.</summary>
    public TLink? Link
    {
        get
        {
            lock (_gate)
                return _link is { HasEnded: false } ? _link : null;
        }
    }

    /// <summary>Fires when this ends.</summary>
    public CancellationToken Closing => _closing.Token;

    /// <summary>How often a link was opened.</summary>
    public int Opened { get; private set; }

    /// <summary>Opens the first link.</summary>
    /// <exception cref="RpcCallException">There is no broker, or it refuses.</exception>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (ExecutionContext.IsFlowSuppressed())
            return Task.Run(() => BeginAsync(cancellationToken), CancellationToken.None);
        // what comes on the connection would have the deadline, the token and the trace of whoever opens it
        using (ExecutionContext.SuppressFlow())
            return Task.Run(() => BeginAsync(cancellationToken), CancellationToken.None);
    }

    /// <summary>Why there is none now: what its calls fail with.</summary>
    public RpcCallException Missing(RpcMethod? method)
    {
        RpcCallException? last;
        lock (_gate)
            last = _failure;
        return RpcCallException.OfTransport(
            last?.Status == RpcStatus.Unauthenticated ? RpcStatus.Unauthenticated : RpcStatus.Unavailable,
            "There is no connection to " + _address.Broker + "; it is tried again. " +
                (last?.Message ?? "It was lost."),
            method,
            _address.Peer,
            isUnsent: true,
            inner: last);
    }

    /// <summary>The next link that is open, for who waits for one.</summary>
    /// <exception cref="OperationCanceledException">The token fired, or this has ended.</exception>
    public async Task<TLink> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            Task<TLink> next;
            lock (_gate)
            {
                if (_link is { HasEnded: false } link)
                    return link;
                next = _next.Task;
            }

            TLink opened = await next.WaitAsync(cancellationToken).ConfigureAwait(false);
            if (!opened.HasEnded)
                return opened;
            await Task.Delay(_options.FirstPause, cancellationToken).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        TLink? link;
        lock (_gate)
        {
            if (_closing.IsCancellationRequested)
                return;
            _closing.Cancel();
            _next.TrySetCanceled();
            link = _link;
        }

        if (link is { HasEnded: false })
            await link.LeaveAsync().ConfigureAwait(false);
        link?.End("this end was disposed");
        if (_run is not null)
            await _run.ConfigureAwait(false);
    }

    private static TaskCompletionSource<TLink> Waiting() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        TLink first = await OpenAsync(cancellationToken).ConfigureAwait(false);
        _run = Task.Run(() => RunAsync(first), CancellationToken.None);
    }

    private async Task<TLink> OpenAsync(CancellationToken cancellationToken)
    {
        IConnection connection = await Broker.ConnectAsync(
            _address, _options, _role, cancellationToken).ConfigureAwait(false);
        TLink link = _make(connection);
        using CancellationTokenSource limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limited.CancelAfter(_options.ConnectTimeout);
        try
        {
            await link.OpenAsync(limited.Token).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            link.End("it could not be opened");
            await link.CloseAsync().ConfigureAwait(false);
            if (cancellationToken.IsCancellationRequested || !Broker.IsOfBroker(e))
                throw;
            throw Broker.Failure(e, _address, isUnsent: true);
        }

        lock (_gate)
        {
            if (!_closing.IsCancellationRequested) // whoever ends this looks for the link to end here
            {
                _link = link;
                _failure = null;
                Opened++;
                _next.TrySetResult(link);
                return link;
            }
        }

        link.End("this end was disposed");
        await link.CloseAsync().ConfigureAwait(false);
        throw new OperationCanceledException(Closing);
    }

    private async Task RunAsync(TLink link)
    {
        TimeSpan pause = _options.FirstPause;
        long openedAt = Stopwatch.GetTimestamp();
        int ends = 0; // of links that did not live long, in a row
        while (true)
        {
            string reason = await link.Ended.ConfigureAwait(false);
            bool livedLong = Stopwatch.GetElapsedTime(openedAt) > _options.LongestPause;
            if (livedLong)
                pause = _options.FirstPause;
            ends = livedLong ? 0 : ends + 1;
            if (ends >= ManyEnds && !_closing.IsCancellationRequested)
                Trace.TraceWarning(
                    "Ipc.Rpc.RabbitMq: the connection to " + _address.Broker + " of a " + _role + " " +
                    _address.Service + " has ended soon after it was opened, " + ends + " times in a row: " + reason);
            lock (_gate)
            {
                if (_next.Task.IsCompleted && !_closing.IsCancellationRequested)
                    _next = Waiting();
            }

            link.Fail(reason);
            await link.CloseAsync().ConfigureAwait(false);
            while (true)
            {
                if (!await PausedAsync(pause).ConfigureAwait(false))
                    return;
                pause = pause + pause < _options.LongestPause ? pause + pause : _options.LongestPause;
                if (await TryOpenAsync().ConfigureAwait(false) is not { } opened)
                    continue;
                link = opened;
                openedAt = Stopwatch.GetTimestamp();
                break;
            }
        }
    }

    /// <returns><see langword="false"/> at this end's end.</returns>
    private async Task<bool> PausedAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause * (0.5 + (Random.Shared.NextDouble() / 2)), Closing).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task<TLink?> TryOpenAsync()
    {
        try
        {
            return await OpenAsync(Closing).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (Closing.IsCancellationRequested)
        {
            return null; // the pause tells
        }
        catch (RpcCallException e)
        {
            lock (_gate)
                _failure = e;
            return null;
        }
#pragma warning disable CA1031 // whatever the client throws: it is tried again
        catch (Exception e)
#pragma warning restore CA1031
        {
            lock (_gate)
                _failure = Broker.Failure(e, _address, isUnsent: true);
            return null;
        }
    }
}
