using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>Holds back requests so that they are published together, with one store and at most one wake-up.</summary>
/// <remarks>
/// <para>From <see cref="RpcClient.Batch"/> to <see cref="Dispose"/>, requests that the same thread sends through this
/// client stay in the ring unpublished. Waiting for an answer, a full ring, or a request of another thread publishes
/// them, so a batch never waits for itself.</para>
/// <para>It helps for many small one-way or asynchronous calls of a slow producer to a server that would fall asleep
/// between them. It gains nothing while the server is awake. Awaiting a
/// <see cref="System.Threading.Tasks.ValueTask{TResult}"/> inside a batch publishes the requests at once. The library
/// cannot see that a <see cref="System.Threading.Tasks.Task{TResult}"/> is awaited, so requests of methods that return
/// one are held back for at most about a millisecond.</para>
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
    private bool _isAwaited; // under the lock of the list: answers are waited for, and nobody was woken to read them

    internal RpcBatch(object owner, ClientLease lease)
    {
        _lease = lease;
        _owner = owner;
        _outer = _current;
        _current = this;
    }

    /// <summary>Publishes the requests and ends the batch.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;

        _disposed = true;
        if (ReferenceEquals(_current, this))
            // else: it is disposed on another thread, and whoever finds it as current there forgets it
            _current = _outer;
        Flush();
        GC.KeepAlive(_lease);
    }

    /// <summary>Whether a frame in the ring of <paramref name="link"/> is to be held back. Under its write
    /// lock.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal static bool TryHold(RpcLink link) => _current is not null && Find(link)?.Hold(link) == true;

    /// <summary>The calling thread is about to wait for an answer.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal static void BeforeWait(RpcLink link)
    {
        if (_current is not null)
            Find(link)?.Flush();
    }

    /// <summary>Whether a batch of the calling thread holds back what is sent over <paramref name="link"/>.</summary>
    internal static bool IsHeld(RpcLink link) => _current is not null && Find(link) is not null;

    /// <summary>A task was made of a call: its request may be held back, but not for long, because its awaiting will
    /// not be seen.</summary>
    /// <returns><see langword="false"/> when there is no batch.</returns>
    internal static bool TryHoldAwaited(CallEngine engine)
    {
        if (_current is null || Find(engine.Link) is not { } batch)
            return false;

        lock (batch._held)
            batch._isAwaited = true;
        engine.PublishSoon();
        return true;
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
        bool isAwaited;
        lock (_held)
        {
            if (_held.Count == 0)
                return;
            held = _held.ToArray();
            _held.Clear();
            isAwaited = _isAwaited;
            _isAwaited = false;
        }

        foreach (RpcLink link in held)
        {
            link.PublishHeld();
            if (isAwaited)
                link.WakeReader();
        }
    }
}
