using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

// Requests that could not be sent at once, because the ring is full: they wait here in order, within a bound, so that
// nobody who starts a call has to wait with them. Whoever holds the write lock sends them as room appears. Whoever ends
// a call takes its request out, without that lock: it may be held by a thread that waits for room.

/// <summary>The requests of a connection that wait for room in its ring.</summary>
internal sealed class RequestQueue
{
    private readonly LinkedList<QueuedFrame> _frames = new();
    private readonly long _most;
    private long _bytes;
    private int _count; // [peek]

    /// <param name="most">How many bytes may wait.</param>
    public RequestQueue(long most) => _most = most;

    public bool HasAny => Volatile.Read(ref _count) != 0;

    /// <summary>How many bytes may wait.</summary>
    public long MostBytes => _most;

    /// <summary>Puts a request behind all others. Under the write lock.</summary>
    /// <param name="frame">The request.</param>
    /// <param name="mayExceed">Whether it may be more than is allowed: its thread waits with it, so there is one for
    /// each such thread; or it was accepted before, for a server that has gone.</param>
    /// <returns><see langword="false"/> when too much waits already.</returns>
    public bool Add(QueuedFrame frame, bool mayExceed)
    {
        Uninterrupted.Enter(_frames);
        try
        {
            if (!mayExceed && frame.Bytes.Length > _most - _bytes)
                return false;

            _bytes += frame.Bytes.Length;
            frame.Place = _frames.AddLast(frame);
            Interlocked.Increment(ref _count);
            return true;
        }
        finally
        {
            Monitor.Exit(_frames);
        }
    }

    /// <summary>Takes a request back. Any thread.</summary>
    /// <returns><see langword="false"/> when it is not here: it has been sent.</returns>
    public bool TryRemove(QueuedFrame frame)
    {
        Uninterrupted.Enter(_frames);
        try
        {
            if (frame.Place is null)
                return false;
            Remove(frame, sent: false);
        }
        finally
        {
            Monitor.Exit(_frames);
        }

        frame.Tell();
        return true;
    }

    /// <summary>The size of the first one; 0 when there is none.</summary>
    public int FirstLength
    {
        get
        {
            Uninterrupted.Enter(_frames);
            try
            {
                return _frames.First?.Value.Bytes.Length ?? 0;
            }
            finally
            {
                Monitor.Exit(_frames);
            }
        }
    }

    /// <summary>Sends what fits into the ring. The caller holds the write lock.</summary>
    /// <returns>Whether all of them did.</returns>
    public bool Flush(FrameBuilder builder)
    {
        while (true)
        {
            QueuedFrame frame;
            Uninterrupted.Enter(_frames);
            try
            {
                if (_frames.First is not { } first)
                    return true;
                frame = first.Value;
                frame.SentAt = builder.Position;
                if (!builder.TrySend(frame.Bytes))
                    return false;
                Remove(frame, sent: true);
            }
            finally
            {
                Monitor.Exit(_frames);
            }

            frame.Tell();
        }
    }

    /// <summary>The connection is over: nothing in here will be sent.</summary>
    public void Clear()
    {
        while (true)
        {
            QueuedFrame frame;
            Uninterrupted.Enter(_frames);
            try
            {
                if (_frames.First is not { } first)
                    return;
                frame = first.Value;
                Remove(frame, sent: false);
            }
            finally
            {
                Monitor.Exit(_frames);
            }

            frame.Tell();
        }
    }

    private void Remove(QueuedFrame frame, bool sent)
    {
        _frames.Remove(frame.Place!);
        frame.Place = null;
        frame.Leave(sent);
        _bytes -= frame.Bytes.Length;
        Interlocked.Decrement(ref _count);
    }
}
