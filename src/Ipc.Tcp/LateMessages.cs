using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>Messages that came while the ring was full. A thread of their own, which ends with the last of them, puts
/// them there; the thread that reads TCP reads on meanwhile.</summary>
/// <remarks>Were it to wait for room, it would not see the acknowledgements behind the message: the server that does
/// not read because it waits for room for its answers would wait for acknowledgements that nobody reads, for ever. The
/// other machine keeps what is here until it is acknowledged, and that is when it is in the ring: so nothing is lost
/// when this process is killed. What is here is no more than a ring here may hold.</remarks>
internal sealed class LateMessages
{
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromSeconds(1);

    private readonly Queue<(ushort Type, byte[] Bytes)> _queue = new(); // under its lock, with all that follows
    private readonly Func<ushort, byte[], bool> _put;
    private readonly Action _publish;
    private readonly long _most;
    private long _bytes;
    private Thread? _thread;
    private bool _over;

    /// <param name="put">Into the ring, however long it takes; false: it is over. It does not throw.</param>
    /// <param name="publish">What was put.</param>
    /// <param name="most">Bytes; one message may go beyond.</param>
    public LateMessages(Func<ushort, byte[], bool> put, Action publish, long most)
    {
        _put = put;
        _publish = publish;
        _most = most;
    }

    /// <summary>Whether the ring is this one's. Only <see cref="Add"/> makes it so; and where a message could not be
    /// put, it stays so: what came behind that one would take its number.</summary>
    public bool HasTheRing
    {
        get
        {
            lock (_queue)
                return _thread is not null || _over;
        }
    }

    /// <summary>By the reading thread. It waits while there is too much here, and asks now and then whether it is over;
    /// false: it is.</summary>
    public bool Add(ushort type, byte[] bytes, Func<bool> isOver)
    {
        lock (_queue)
        {
            while (!_over && _bytes > _most && !isOver())
                Monitor.Wait(_queue, s_lookInterval);
            if (_over || (_bytes > _most && isOver()))
                return false;
            _queue.Enqueue((type, bytes));
            _bytes += bytes.Length + Frame.HeaderSize;
            if (_thread is not null)
                return true;
            Thread thread = new(Run) { IsBackground = true, Name = "ipc-tcp-late" };
            _thread = thread;
            try
            {
                thread.Start();
                return true;
            }
            catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
            {
                _thread = null;
                _over = true;
                return false;
            }
        }
    }

    /// <summary>Drops what is left: the other machine has it. When it returns the ring is nobody's.</summary>
    public void Stop()
    {
        Thread? thread;
        lock (_queue)
        {
            _over = true;
            thread = _thread;
        }

        thread?.Join();
    }

    private void Run()
    {
        for (; ; )
        {
            (ushort Type, byte[] Bytes) next;
            lock (_queue)
            {
                if (!_over && _queue.Count > 0)
                {
                    next = _queue.Dequeue();
                    _bytes -= next.Bytes.Length + Frame.HeaderSize;
                    Monitor.PulseAll(_queue);
                }
                else
                {
                    _publish();
                    _thread = null;
                    return;
                }
            }

            if (_put(next.Type, next.Bytes))
                continue;
            lock (_queue)
                _over = true;
        }
    }
}
