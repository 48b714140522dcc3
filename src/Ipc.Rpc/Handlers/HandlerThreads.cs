using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Threads for handlers that cannot run where their request was read. They are started when all others are
/// busy, and end when idle.</summary>
/// <remarks>Not the thread pool: handlers may block, and a pool that has run out of threads grows too slowly for
/// anybody who waits for them.</remarks>
internal sealed class HandlerThreads
{
    private const int MaxStack = 1024 * 1024;
    private static readonly TimeSpan _idle = TimeSpan.FromSeconds(10);

    private readonly Queue<HeldCall> _queue = new();
    private readonly string _name;
    private readonly int _maxThreads;
    private int _threads;
    private int _idleThreads;
    private bool _stopped;

    /// <summary>Starts nothing yet.</summary>
    public HandlerThreads(string name, int maxThreads)
    {
        _name = name;
        _maxThreads = maxThreads;
    }

    /// <summary>Runs the handler soon. Any thread; never waits.</summary>
    public void Run(HeldCall call)
    {
        lock (_queue)
        {
            _queue.Enqueue(call);
            if (_idleThreads >= _queue.Count)
                Monitor.Pulse(_queue);
            else if (_threads < _maxThreads || _threads == 0)
                StartThread();
        }
    }

    /// <summary>Idle threads end, busy ones when they are through with what is queued.</summary>
    public void Stop()
    {
        lock (_queue)
        {
            _stopped = true;
            Monitor.PulseAll(_queue);
        }
    }

    private void StartThread()
    {
        _threads++;
        OwnThread.Start(new Thread(Work, MaxStack) { IsBackground = true, Name = "ipc-rpc " + _name });
    }

    private void Work()
    {
        while (Take() is { } taken)
        {
            for (HeldCall? call = taken; call is not null; call = call.Call.Callee.NextAfter(call.Call))
            {
                var turn = new Turn(call);
                CleanContext.Undo(ref turn);
            }
        }
    }

    private HeldCall? Take()
    {
        lock (_queue)
        {
            while (_queue.Count == 0)
            {
                _idleThreads++;
                bool called = !_stopped && Monitor.Wait(_queue, _idle);
                _idleThreads--;
                if (_queue.Count == 0 && (!called || _stopped))
                {
                    _threads--;
                    return null;
                }
            }

            return _queue.Dequeue();
        }
    }

    /// <summary>One handler's time on a thread.</summary>
    private readonly struct Turn : CleanContext.IWork
    {
        private readonly HeldCall _call;

        public Turn(HeldCall call) => _call = call;

        public void Run() => _call.Run();
    }
}
