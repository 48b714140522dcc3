using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>Holds back requests so that they are published together: with one store and one wake at most.</summary>
/// <remarks>
/// <para>From <see cref="RpcClient.Batch"/> to <see cref="Dispose"/>, requests that the same thread sends through this client stay in the ring unseen. Waiting for any
/// answer publishes what is held back, and so does a full ring or another thread's request: a batch never waits for itself.</para>
/// <para>It is worth while for many small one-way calls, or asynchronous ones of methods that return a <see cref="System.Threading.Tasks.ValueTask{TResult}"/>, of a slow producer to a
/// server that would fall asleep between them. It gains nothing while the server is awake, nor for methods that return a <see cref="System.Threading.Tasks.Task{TResult}"/>: making one of a
/// call begins to wait for it. Awaiting inside it ends its effect at that point.</para>
/// </remarks>
/// <example><code>
/// using (client.Batch())
/// {
///     for (int i = 0; i &lt; calls.Length; i++)
///         calls[i] = monitor.GetAsync(i);
/// }
/// </code></example>
public sealed class RpcBatch : IDisposable
{
    [ThreadStatic]
    private static RpcBatch? _current;

    private readonly object _owner;
    private readonly ClientLease _lease; // a client with an open batch is not forgotten
    private readonly RpcBatch? _outer;
    private readonly List<RpcLink> _held = new(1); // more than one only when the client connected again meanwhile
    private bool _disposed;

    internal RpcBatch(object owner, ClientLease lease)
    {
        _lease = lease;
        _owner = owner;
        _outer = _current;
        _current = this;
    }

    /// <summary>Publishes what is held back, and holds back no more.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;

        _disposed = true;
        if (ReferenceEquals(_current, this))
            _current = _outer; // else: it is disposed on another thread, and whoever finds it as current there forgets it
        Flush();
        GC.KeepAlive(_lease);
    }

    /// <summary>Whether a frame in the ring of <paramref name="link"/> is to be held back. Under its write lock.</summary>
    internal static bool TryHold(RpcLink link) => _current is not null && Find(link)?.Hold(link) == true;

    /// <summary>The calling thread is about to wait for an answer.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal static void BeforeWait(RpcLink link)
    {
        if (_current is not null)
            Find(link)?.Flush();
    }

    private static RpcBatch? Find(RpcLink link)
    {
        while (_current is { _disposed: true })
            _current = _current._outer;

        RpcBatch? batch = _current;
        while (batch is not null && (batch._disposed || !ReferenceEquals(batch._owner, link.BatchOwner)))
            batch = batch._outer;
        return batch;
    }

    private bool Hold(RpcLink link)
    {
        lock (_held)
        {
            if (!_held.Contains(link))
                _held.Add(link);
        }

        return true;
    }

    private void Flush()
    {
        RpcLink[] held;
        lock (_held)
        {
            if (_held.Count == 0)
                return;
            held = _held.ToArray();
            _held.Clear();
        }

        foreach (RpcLink link in held)
            link.PublishHeld();
    }
}
