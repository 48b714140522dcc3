using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>Takes messages while its host runs. To be asked for by the name that it was added with, as key.</summary>
/// <remarks>It opens its queue or topic when the host starts, and fails the start if it cannot. When the host stops it takes no further messages and waits for those in hand, as long as
/// <see cref="IpcWorkerOptions.DrainTimeout"/> and the host allow; then their tokens fire.</remarks>
// handlers look at the token sources until they end, whatever is disposed: these have neither timers nor handles
#pragma warning disable CA2213
public abstract class IpcWorker : IHostedService, IDisposable
#pragma warning restore CA2213
{
    private readonly CancellationTokenSource _taking = new();
    private readonly CancellationTokenSource _handling = new();
    private readonly IpcWorkerOptions _options;
    private Task? _work;
    private long _handled;
    private long _failed;
    private long _poisoned;
    private int _state;
    private string? _trouble;

    private protected IpcWorker(string key, IpcWorkerOptions options, ILogger logger)
    {
        Key = key;
        _options = options;
        Logger = logger;
    }

    /// <summary>The name of the queue or the topic.</summary>
    public string Name => _options.Name;

    /// <summary>What it is doing.</summary>
    public IpcWorkerState State => (IpcWorkerState)Volatile.Read(ref _state);

    /// <summary>How many messages were handled.</summary>
    public long Handled => Interlocked.Read(ref _handled);

    /// <summary>How many attempts failed.</summary>
    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>How many messages were given up.</summary>
    public long Poisoned => Interlocked.Read(ref _poisoned);

    /// <summary>Why it failed; <see langword="null"/> if it has not.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>What the last attempt failed with, until one succeeds.</summary>
    internal string? Trouble => Volatile.Read(ref _trouble);

    private protected string Key { get; }

    private protected ILogger Logger { get; }

    /// <summary>Fires when no further messages are to be taken.</summary>
    private protected CancellationToken Taking => _taking.Token;

    /// <summary>Fires when handlers are to end.</summary>
    private protected CancellationToken Handling => _handling.Token;

    /// <summary>Opens the queue or the topic, and begins.</summary>
    /// <exception cref="IpcException">It cannot be opened.</exception>
    /// <exception cref="InvalidOperationException">There is no codec for its messages, or it has been started before.</exception>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_work is not null)
            throw new InvalidOperationException("The worker " + Key + " has been started before.");

        Open(cancellationToken);
        Volatile.Write(ref _state, (int)IpcWorkerState.Working);
        IpcLog.Working(Logger, Key, Name);
        _work = Task.Run(WorkAsync, CancellationToken.None);
        return Task.CompletedTask;
    }

    /// <summary>Stops in good order. The host's token ends the wait for handlers early.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (_work is not { } work)
            return;

        Interlocked.CompareExchange(ref _state, (int)IpcWorkerState.Stopping, (int)IpcWorkerState.Working);
        _taking.Cancel();
        var overdue = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        using (cancellationToken.Register(static state => ((TaskCompletionSource<bool>)state!).TrySetResult(true), overdue))
        {
            using var drained = new CancellationTokenSource();
            await Task.WhenAny(work, overdue.Task, Task.Delay(_options.DrainTimeout, drained.Token)).ConfigureAwait(false);
            drained.Cancel();
            _handling.Cancel();
            await Task.WhenAny(work, overdue.Task).ConfigureAwait(false); // a handler that ignores its token is left alone when the host's shutdown timeout has passed
        }

        if (!work.IsCompleted)
            IpcLog.LeftInHand(Logger, Key, Name);
        Close();
        if (Interlocked.CompareExchange(ref _state, (int)IpcWorkerState.Stopped, (int)IpcWorkerState.Stopping) == (int)IpcWorkerState.Stopping)
            IpcLog.WorkerStopped(Logger, Key, Handled);
    }

    /// <summary>Stops at once: what is in hand comes again to somebody else.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Stops at once.</summary>
    protected virtual void Dispose(bool disposing)
    {
        if (!disposing)
            return;
        _taking.Cancel();
        _handling.Cancel();
        Close();
    }

    /// <summary>Opens what messages come from.</summary>
    private protected abstract void Open(CancellationToken cancellationToken);

    /// <summary>Takes and handles messages until <see cref="Taking"/> fires, and then those in hand.</summary>
    private protected abstract Task TakeAsync();

    /// <summary>Closes what messages come from; any number of times.</summary>
    private protected abstract void Close();

    /// <summary>Calls the handler until it succeeds, or is not to be called again.</summary>
    /// <param name="first">The number of the first attempt.</param>
    /// <param name="handle">Handles the message, in a scope of its own.</param>
    /// <returns>What the last attempt failed with; <see langword="null"/> when one succeeded.</returns>
    /// <exception cref="OperationCanceledException">The host stops.</exception>
    private protected async Task<Exception?> AttemptAsync(int first, Func<int, Task> handle)
    {
        TimeSpan pause = _options.FirstPause;
        int last = Math.Max(first, _options.MaxAttempts);
        for (int attempt = first; ; attempt++)
        {
            Exception failure;
            try
            {
                await handle(attempt).ConfigureAwait(false);
                Volatile.Write(ref _trouble, null); // first: who sees it counted finds the worker healthy
                Interlocked.Increment(ref _handled);
                return null;
            }
            catch (OperationCanceledException) when (Handling.IsCancellationRequested)
            {
                throw;
            }
#pragma warning disable CA1031 // whatever a handler throws is one failed attempt
            catch (Exception e)
#pragma warning restore CA1031
            {
                failure = e;
            }

            Interlocked.Increment(ref _failed);
            Volatile.Write(ref _trouble, failure.Message);
            if (attempt >= last)
                return failure;
            IpcLog.Failing(Logger, Name, Key, attempt, last, pause, failure);
            await Task.Delay(pause, Handling).ConfigureAwait(false);
            pause = pause.Ticks > _options.LongestPause.Ticks / 2 ? _options.LongestPause : TimeSpan.FromTicks(pause.Ticks * 2);
        }
    }

    /// <summary>Counts and logs a message that was given up.</summary>
    private protected void GaveUp(int bytes, int attempts, string fate, Exception failure)
    {
        Interlocked.Increment(ref _poisoned);
        IpcLog.Poisoned(Logger, Name, bytes, Key, attempts, fate, failure);
    }

    private async Task WorkAsync()
    {
        try
        {
            await TakeAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (Taking.IsCancellationRequested)
        {
            // As asked.
        }
#pragma warning disable CA1031 // on a thread of the pool: the health check and the log tell
        catch (Exception e)
#pragma warning restore CA1031
        {
            Failure = e;
            Volatile.Write(ref _state, (int)IpcWorkerState.Failed);
            IpcLog.WorkerFailed(Logger, Key, e);
        }
    }
}
