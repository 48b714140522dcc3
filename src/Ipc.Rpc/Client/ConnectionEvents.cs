using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Tells subscribers what happened to a client's connections: in order, one at a time, on the thread
/// pool.</summary>
internal sealed class ConnectionEvents
{
    private readonly Queue<RpcConnectionChange> _queue = new();
    private Action<RpcConnectionChange>? _subscribers; // changed under the lock
    private bool _running;

    public bool HasAny => Volatile.Read(ref _subscribers) is not null; // [watched]

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

        ThreadPool.UnsafeQueueUserWorkItem(static state => ((ConnectionEvents)state!).Run(), this);
    }

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

            if (subscribers is not null)
                Tell(subscribers, change);
        }
    }

    /// <summary>Tells each of them. What one throws is traced: it ends neither the others' turn nor, on a thread of the
    /// pool, the process.</summary>
    private static void Tell(Action<RpcConnectionChange> subscribers, RpcConnectionChange change)
    {
        foreach (Delegate subscriber in subscribers.GetInvocationList())
        {
            var turn = new Turn((Action<RpcConnectionChange>)subscriber, change);
            CleanContext.Undo(ref turn);
        }
    }

    /// <summary>One subscriber's event: the next one sees nothing of what it leaves behind.</summary>
    private readonly struct Turn : CleanContext.IWork
    {
        private readonly Action<RpcConnectionChange> _subscriber;
        private readonly RpcConnectionChange _change;

        public Turn(Action<RpcConnectionChange> subscriber, RpcConnectionChange change)
        {
            _subscriber = subscriber;
            _change = change;
        }

        public void Run()
        {
            try
            {
                _subscriber(_change);
            }
#pragma warning disable CA1031 // a subscriber's failure is its author's
            catch (Exception e)
#pragma warning restore CA1031
            {
                Trace.TraceError("A subscriber of RpcClient.ConnectionChanged threw: " + ErrorText.Whole(e));
            }
        }
    }
}
