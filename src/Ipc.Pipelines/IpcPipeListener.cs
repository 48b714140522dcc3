using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>Accepts pipes. No thread is held, however many there are: one wait is pending for all of them.</summary>
/// <remarks>A client is taken as soon as it asks, and waits here for <see cref="AcceptAsync"/>; one that did not ask for
/// a pipe is refused with words. Everything here is for any thread.</remarks>
public sealed class IpcPipeListener : IDisposable, IAsyncDisposable
{
    private readonly object _sync = new();
    private readonly Listener _listener;
    private readonly IpcPipeListenerOptions _options;
    private readonly Queue<IpcPipe> _accepted = new();
    private readonly LinkedList<TaskCompletionSource<IpcPipe>> _accepting = new();
    private readonly HashSet<IpcPipe> _pipes = new();
    private readonly Action _next;
    private readonly Action<IpcPipe> _forget;
    private ConfiguredValueTaskAwaitable<ListenerEvent>.ConfiguredValueTaskAwaiter _awaiter; // the loop's
    private Exception? _error; // [made]: why nobody is accepted any more

    private IpcPipeListener(Listener listener, IpcPipeListenerOptions options)
    {
        _listener = listener;
        _options = options;
        _next = OnNext;
        _forget = Forget;
    }

    /// <summary>The name it was opened with.</summary>
    public string Name => _listener.Name;

    /// <summary>Pipes that are not disposed, those that wait to be accepted included.</summary>
    public int Count
    {
        get
        {
            lock (_sync)
                return _pipes.Count;
        }
    }

    /// <summary>Opens the listener <paramref name="name"/>. A left-over of a dead server is replaced.</summary>
    /// <exception cref="IpcException">InUse, with its process, if a live server has the name; and what can go wrong
    /// with a region.</exception>
    public static IpcPipeListener Open(string name, IpcPipeListenerOptions? options = null)
    {
        options ??= new IpcPipeListenerOptions();
        Listener listener = Listener.Open(name, new ListenerOptions
        {
            MaxConnections = options.MaxConnections,
            MaxRingCapacity = options.MaxRingCapacity,
            WaitMode = options.WaitMode,
            SpinLimit = options.SpinLimit,
            Access = options.Access,
            Protocol = PipeRecord.Protocol,
        });
        IpcPipeListener result = new(listener, options);
        ThreadPool.QueueUserWorkItem(static self => ((IpcPipeListener)self!).MoveOn(null), result);
        return result;
    }

    /// <summary>The next pipe. Dispose it.</summary>
    /// <exception cref="ObjectDisposedException">The listener is disposed, or was meanwhile.</exception>
    /// <exception cref="IpcException">Stopped: <see cref="Stop"/>.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async ValueTask<IpcPipe> AcceptAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        TaskCompletionSource<IpcPipe> accepting;
        lock (_sync)
        {
            if (_accepted.Count != 0)
                return _accepted.Dequeue();
            if (_error is not null)
                throw _error;
            accepting = new TaskCompletionSource<IpcPipe>(TaskCreationOptions.RunContinuationsAsynchronously);
            _accepting.AddLast(accepting);
        }

        try
        {
            using (cancellationToken.Register(() => accepting.TrySetCanceled(cancellationToken)))
                return await accepting.Task.ConfigureAwait(false);
        }
        catch
        {
            lock (_sync)
                _accepting.Remove(accepting); // or who polls with tokens fills memory until somebody connects
            throw;
        }
    }

    /// <summary>All pipes as they come, until the listener is stopped or disposed.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    public async IAsyncEnumerable<IpcPipe> AcceptAllAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (; ; )
        {
            IpcPipe pipe;
            try
            {
                pipe = await AcceptAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error) when (error == Volatile.Read(ref _error) &&
                error is ObjectDisposedException or IpcException { Status: IpcStatus.Stopped })
            {
                yield break;
            }

            yield return pipe;
        }
    }

    /// <summary>Accepts nobody any more: who asks is refused, and the pipes there are go on.</summary>
    public void Stop() => End(new IpcException(IpcStatus.Stopped, $"The listener '{Name}' was stopped."));

    /// <summary>Ends with all pipes there are: what they have sent is still read at the other side, and then is an
    /// error there, <see cref="IpcStatus.PeerClosed"/>.</summary>
    public void Dispose()
    {
        End(new ObjectDisposedException(nameof(IpcPipeListener)));
        _listener.Dispose();
        IpcPipe[] pipes;
        lock (_sync)
        {
            pipes = new IpcPipe[_pipes.Count];
            _pipes.CopyTo(pipes);
            _accepted.Clear();
        }

        foreach (IpcPipe pipe in pipes)
            pipe.Dispose();
    }

    /// <summary>As <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return default;
    }

    /// <summary>Begins the next wait, and completes the read that the last event is for: here if nothing else is there,
    /// on another thread if there is.</summary>
    private void MoveOn(ListenerReadiness? ready)
    {
        for (; ; )
        {
#pragma warning disable CA2012 // its awaiter is asked once, here or in OnNext
            _awaiter = _listener.NextAsync().ConfigureAwait(false).GetAwaiter();
#pragma warning restore CA2012
            if (!_awaiter.IsCompleted)
            {
                _awaiter.UnsafeOnCompleted(_next); // may run at once, elsewhere
                ready?.Complete();
                return;
            }

            if (ready is not null)
                ThreadPool.QueueUserWorkItem(static one => ((ListenerReadiness)one!).Complete(), ready);
            if (!TryHandle(out ready))
                return;
        }
    }

    private void OnNext()
    {
        if (TryHandle(out ListenerReadiness? ready))
            MoveOn(ready);
    }

    /// <summary>False: there is no next one.</summary>
    private bool TryHandle(out ListenerReadiness? ready)
    {
        ready = null;
        ListenerEvent e;
        try
        {
            e = _awaiter.GetResult();
        }
        catch (Exception error) when (error is ObjectDisposedException or IpcException)
        {
            End(error);
            return false;
        }

        if (e.Kind == ListenerEventKind.Connect)
            Take(e.Connection);
        else if (e.Connection.Context is ListenerReadiness pipe && pipe.TryTake(e.Kind == ListenerEventKind.Closed))
            ready = pipe;
        return true;
    }

    private void Take(Connection connection)
    {
        if (!PipeRecord.IsHello(connection.Hello.Span))
        {
            connection.Refuse($"'{Name}' is a listener for pipes, and this client did not ask for one.");
            return;
        }

        TaskCompletionSource<IpcPipe>? accepting = null;
        IpcPipe pipe;
        lock (_sync)
        {
            if (_error is not null)
            {
                connection.Refuse($"'{Name}' takes no more connections: its server is ending.");
                return;
            }

            ListenerReadiness readiness = new(_listener, connection);
            connection.Context = readiness;
            pipe = new IpcPipe(
                connection, readiness, _options.WaitMode, _options.SpinLimit, _options.CopyReads, _forget);
            _pipes.Add(pipe);
            connection.Accept();
            while (_accepting.Count != 0 && accepting is null)
            {
                accepting = _accepting.First!.Value;
                _accepting.RemoveFirst();
                if (!accepting.TrySetResult(pipe))
                    accepting = null; // cancelled
            }

            if (accepting is null)
                _accepted.Enqueue(pipe);
        }
    }

    private void End(Exception error)
    {
        lock (_sync)
        {
            _error ??= error;
            foreach (TaskCompletionSource<IpcPipe> accepting in _accepting)
                accepting.TrySetException(_error);
            _accepting.Clear();
        }
    }

    private void Forget(IpcPipe pipe)
    {
        lock (_sync)
            _pipes.Remove(pipe);
    }
}
