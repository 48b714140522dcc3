using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin;

/// <summary>Threads for questions that wait for one service: a few, begun when there is something to ask, and gone when there is nothing left.</summary>
/// <remarks>Not those of the pool, on which the answers of all services come: a daemon that hangs would have them all.</remarks>
internal sealed class Workers
{
    private const int Most = 4;

    private readonly string _name;
    private readonly Queue<Action> _waiting = new(); // guards itself and _running
    private int _running;

    public Workers(string name) => _name = name;

    /// <summary>The work's result, or its failure. What continues the task runs on the pool.</summary>
    public Task<T> Run<T>(Func<T> work)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_waiting)
        {
            _waiting.Enqueue(() => Do(work, done));
            if (_running == Most)
                return done.Task;
            _running++;
        }
        try
        {
            new Thread(Work) { IsBackground = true, Name = _name }.Start();
        }
        catch (OutOfMemoryException) // the system has no thread left; the pool has some
        {
            ThreadPool.QueueUserWorkItem(static workers => ((Workers)workers!).Work(), this);
        }
        return done.Task;
    }

    private static void Do<T>(Func<T> work, TaskCompletionSource<T> done)
    {
        try
        {
            done.TrySetResult(work());
        }
#pragma warning disable CA1031 // it is the task's
        catch (Exception e)
#pragma warning restore CA1031
        {
            done.TrySetException(e);
        }
    }

    private void Work()
    {
        while (true)
        {
            Action next;
            lock (_waiting)
            {
                if (_waiting.Count == 0)
                {
                    _running--;
                    return;
                }
                next = _waiting.Dequeue();
            }
            next();
        }
    }
}
