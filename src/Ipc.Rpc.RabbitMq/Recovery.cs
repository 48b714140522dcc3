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

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(1);

    private readonly RabbitMqAddress _address;
    private readonly RabbitMqOptions _options;
    private readonly string _role;
    private readonly Func<IConnection, TLink> _make;
    private readonly Attempts _attempts;
    private readonly CancellationTokenSource _closing = new();
    private readonly object _gate = new();
    private TaskCompletionSource<TLink> _next = Waiting();
    private TLink? _link;
    private RpcCallException? _failure; // of the last attempt
    private Task? _first; // the first attempt, or its end
    private Task? _run;
    private Task? _disposal;
    private string? _told; // why there is none; null while there is one

    public Recovery(RabbitMqAddress address, RabbitMqOptions options, string role, Func<IConnection, TLink> make)
    {
        _address = address;
        _options = options;
        _role = role;
        _make = make;
        _attempts = new Attempts(options);
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
    public Task StartAsync(CancellationToken cancellationToken) => Background.Run(() => BeginAsync(cancellationToken));

    /// <summary>Tries to open the first link, unless that has been tried. Others come by themselves, whether or not it
    /// could be opened.</summary>
    /// <returns>The end of that attempt. It does not fail: <see cref="Link"/> and <see cref="Missing"/> tell.</returns>
    public Task TriedAsync()
    {
        lock (_gate)
            return _first ??= Background.Run(TryFirstAsync);
    }

    /// <summary>With what a broker that answers has refused the last attempt; <see langword="null"/> if it has
    /// not.</summary>
    public RpcCallException? Refusal
    {
        get
        {
            lock (_gate)
                return _failure?.Status == RpcStatus.Unavailable ? null : _failure;
        }
    }

    /// <summary>The link that is open, or opens in time.</summary>
    /// <param name="timeout">How long to wait after the first attempt; not at all after a refusal.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RpcCallException">There is none in time.</exception>
    public async Task<TLink> LinkAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(Closing.IsCancellationRequested, typeof(RabbitMqClient));
        if (Link is { } link)
            return link;
        await TriedAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        if (Link is { } first)
            return first;
        if (timeout != TimeSpan.Zero && Refusal is null)
        {
            using DeadlineSource limited = new(Deadline.After(timeout), cancellationToken);
            try
            {
                return await NextAsync(limited.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                // in vain
            }
        }

        ObjectDisposedException.ThrowIf(Closing.IsCancellationRequested, typeof(RabbitMqClient));
        throw Missing(null);
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
                if (_closing.IsCancellationRequested) // the next one may have come, and ended: no other follows
                    throw new OperationCanceledException(Closing);
                next = _next.Task;
            }

            TLink opened = await next.WaitAsync(cancellationToken).ConfigureAwait(false);
            if (!opened.HasEnded)
                return opened;
            await Task.Delay(_options.FirstPause, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Ends it. Whoever comes later waits for the same.</summary>
    public ValueTask DisposeAsync()
    {
        TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_disposal is not null)
                return new ValueTask(_disposal);
            _disposal = ended.Task;
        }

        return new ValueTask(EndAsync(ended)); // not within the lock, whatever of it runs at once
    }

    private async Task EndAsync(TaskCompletionSource ended)
    {
        try
        {
            await EndAsync().ConfigureAwait(false);
        }
        finally
        {
            ended.SetResult();
        }
    }

    private async Task EndAsync()
    {
        TLink? link;
        Task? first;
        Task told;
        lock (_gate)
        {
            told = _closing.CancelAsync(); // on the pool: what comes after a caller's wait has no part in this lock
            _next.TrySetCanceled();
            link = _link;
            first = _first;
        }

        // first those that tell their servers; what they run after that may take as long as it likes
        await Task.WhenAny(told, Task.Delay(_patience)).ConfigureAwait(false);
        if (link is { HasEnded: false })
            await link.LeaveAsync().ConfigureAwait(false);
        link?.End("this end was disposed");
        if (first is not null)
            await first.ConfigureAwait(false); // sets _run
        if (_run is not null)
            await _run.ConfigureAwait(false);
    }

    private static TaskCompletionSource<TLink> Waiting() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        TLink first = await OpenAsync(cancellationToken).ConfigureAwait(false);
        Tell(null);
        lock (_gate)
            _first = Task.CompletedTask;
        _run = Task.Run(() => RunAsync(first), CancellationToken.None);
    }

    private async Task TryFirstAsync()
    {
        TLink? first = await TryOpenAsync().ConfigureAwait(false);
        _run = Task.Run(() => RunAsync(first), CancellationToken.None);
    }

    private async Task<TLink> OpenAsync(CancellationToken cancellationToken)
    {
        IConnection connection = await Broker.ConnectAsync(
            _address, _options, _role, _attempts, cancellationToken).ConfigureAwait(false);
        TLink link = _make(connection);
        using CancellationTokenSource limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limited.CancelAfter(_attempts.Patience);
        long began = Stopwatch.GetTimestamp();
        try
        {
            await link.OpenAsync(limited.Token).ConfigureAwait(false);
            link.Serve(_options.ConnectTimeout);
            _attempts.Answered();
        }
        catch (Exception e)
        {
            _attempts.NodeFailed(Stopwatch.GetElapsedTime(began), _attempts.Patience);
            link.End("it could not be opened");
            link.Fail("it could not be opened"); // what the broker has given it already goes to somebody else
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
        link.Fail("this end was disposed");
        await link.CloseAsync().ConfigureAwait(false);
        throw new OperationCanceledException(Closing);
    }

    /// <param name="reason">Why there is no link; <see langword="null"/> when there is one.</param>
    private void Tell(string? reason)
    {
        if (Closing.IsCancellationRequested || (reason is not null && reason == _told))
            return;
        _told = reason;
        try
        {
            _options.ConnectionChanged?.Invoke(new RabbitMqConnectionChange(reason is null, reason));
        }
#pragma warning disable CA1031 // the user's own
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("Ipc.Rpc.RabbitMq: who is told of connections failed", null, e);
        }
    }

    private async Task RunAsync(TLink? link)
    {
        long openedAt = Stopwatch.GetTimestamp();
        int ends = 0; // of links that did not live long, in a row
        while (true)
        {
            if (link is not null)
            {
                string reason = await link.Ended.ConfigureAwait(false);
                _options.LearnFrom(reason);
                bool livedLong = Stopwatch.GetElapsedTime(openedAt) > _options.LongestPause;
                if (livedLong)
                    _attempts.BeginAnew();
                ends = livedLong ? 0 : ends + 1;
                await FinishAsync(link, reason, ends).ConfigureAwait(false);
            }

            while (true)
            {
                if (!await PausedAsync(_attempts.NextPause(Random.Shared.NextDouble())).ConfigureAwait(false))
                    return;
                if (await TryOpenAsync().ConfigureAwait(false) is not { } opened)
                    continue;
                link = opened;
                openedAt = Stopwatch.GetTimestamp();
                break;
            }
        }
    }

    /// <param name="link">The link that has ended.</param>
    /// <param name="reason">Why.</param>
    /// <param name="ends">How many in a row have not lived long.</param>
    private async Task FinishAsync(TLink link, string reason, int ends)
    {
        if (ends >= ManyEnds && !Closing.IsCancellationRequested)
            Trace.TraceWarning(
                "Ipc.Rpc.RabbitMq: the connection to " + _address.Broker + " of a " + _role + " " +
                _address.Service + " has ended soon after it was opened, " + ends + " times in a row: " + reason);
        lock (_gate)
        {
            if (_next.Task.IsCompleted && !_closing.IsCancellationRequested)
                _next = Waiting();
        }

        link.Fail(reason);
        Tell("The connection to " + _address.Broker + " was lost: " + reason + ".");
        await link.CloseAsync().ConfigureAwait(false);
    }

    /// <returns><see langword="false"/> at this end's end.</returns>
    private async Task<bool> PausedAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause, Closing).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task<TLink?> TryOpenAsync()
    {
        long began = Stopwatch.GetTimestamp();
        try
        {
            TLink link = await OpenAsync(Closing).ConfigureAwait(false);
            Tell(null);
            return link;
        }
        catch (OperationCanceledException) when (Closing.IsCancellationRequested)
        {
            return null; // the pause tells
        }
        catch (RpcCallException e)
        {
            return Failed(e, began);
        }
#pragma warning disable CA1031 // whatever the client throws: it is tried again
        catch (Exception e)
#pragma warning restore CA1031
        {
            return Failed(Broker.Failure(e, _address, isUnsent: true), began);
        }
    }

    private TLink? Failed(RpcCallException failure, long began)
    {
        _attempts.Failed(Stopwatch.GetElapsedTime(began), failure.Status != RpcStatus.Unavailable);
        lock (_gate)
            _failure = failure;
        Tell(failure.Message);
        return null;
    }
}
