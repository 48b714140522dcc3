using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Tells subscribers what happened to a client's connections: in order, one at a time, on the thread pool.</summary>
internal sealed class ConnectionEvents
{
    private readonly Queue<RpcConnectionChange> _queue = new();
    private Action<RpcConnectionChange>? _subscribers;
    private bool _running;

    public bool HasAny => Volatile.Read(ref _subscribers) is not null;

    public void Subscribe(Action<RpcConnectionChange>? subscriber)
    {
        lock (_queue)
            _subscribers += subscriber;
    }

    public void Unsubscribe(Action<RpcConnectionChange>? subscriber)
    {
        lock (_queue)
            _subscribers -= subscriber;
    }

    public void Add(RpcConnectionChange change)
    {
        lock (_queue)
        {
            if (_subscribers is null)
                return;
            _queue.Enqueue(change);
            if (_running)
                return;
            _running = true;
        }

        ThreadPool.QueueUserWorkItem(static state => ((ConnectionEvents)state!).Run(), this);
    }

    // What a subscriber throws is not caught: like any event's, it is its process's affair, and hiding it would help nobody.
    private void Run()
    {
        while (true)
        {
            RpcConnectionChange change;
            Action<RpcConnectionChange>? subscribers;
            lock (_queue)
            {
                if (_queue.Count == 0)
                {
                    _running = false;
                    return;
                }

                change = _queue.Dequeue();
                subscribers = _subscribers;
            }

            subscribers?.Invoke(change);
        }
    }
}
