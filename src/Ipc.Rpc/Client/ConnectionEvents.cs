using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Tells subscribers what happened to a client's connections: in order, one at a time, on the thread
/// pool.</summary>
internal sealed class ConnectionEvents
{
    private readonly Queue<RpcConnectionChangedEventArgs> _queue = new();
    private EventHandler<RpcConnectionChangedEventArgs>? _subscribers; // changed under the lock
    private bool _running;

    /// <summary>The client that tells, for the subscribers. Set before there can be any.</summary>
    public RpcClient? Sender { get; set; }

    public bool HasAny => Volatile.Read(ref _subscribers) is not null; // [watched]

    public void Subscribe(EventHandler<RpcConnectionChangedEventArgs>? subscriber)
    {
        lock (_queue)
            _subscribers += subscriber;
    }

    public void Unsubscribe(EventHandler<RpcConnectionChangedEventArgs>? subscriber)
    {
        lock (_queue)
            _subscribers -= subscriber;
    }

    public void Add(RpcConnectionChangedEventArgs change)
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
            RpcConnectionChangedEventArgs change;
            EventHandler<RpcConnectionChangedEventArgs>? subscribers;
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
                Tell(Sender, subscribers, change);
        }
    }

    /// <summary>Tells each of them. What one throws is traced: it ends neither the others' turn nor, on a thread of the
    /// pool, the process.</summary>
    private static void Tell(
        RpcClient? sender,
        EventHandler<RpcConnectionChangedEventArgs> subscribers,
        RpcConnectionChangedEventArgs change)
    {
        foreach (Delegate subscriber in subscribers.GetInvocationList())
        {
            var turn = new Turn(sender, (EventHandler<RpcConnectionChangedEventArgs>)subscriber, change);
            CleanContext.Undo(ref turn);
        }
    }

    /// <summary>One subscriber's event: the next one sees nothing of what it leaves behind.</summary>
    private readonly struct Turn : CleanContext.IWork
    {
        private readonly RpcClient? _sender;
        private readonly EventHandler<RpcConnectionChangedEventArgs> _subscriber;
        private readonly RpcConnectionChangedEventArgs _change;

        public Turn(
            RpcClient? sender,
            EventHandler<RpcConnectionChangedEventArgs> subscriber,
            RpcConnectionChangedEventArgs change)
        {
            _sender = sender;
            _subscriber = subscriber;
            _change = change;
        }

        public void Run()
        {
            try
            {
                _subscriber(_sender, _change);
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
