using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Small frames (credit, cancel, pong) that anybody may leave behind and whoever holds the write lock sends.</summary>
/// <remarks>So that giving credit or cancelling never waits for a full ring or for another thread's request.</remarks>
internal sealed class ControlQueue
{
    private const int MaxPongs = 16;

    private readonly Queue<ControlFrame> _frames = new();
    private int _count;
    private int _pongs;

    public bool HasAny => Volatile.Read(ref _count) != 0;

    public void Add(in ControlFrame frame)
    {
        lock (_frames)
        {
            if (frame.Header.Kind == FrameKind.Pong && _pongs++ >= MaxPongs)
            {
                _pongs--;
                return; // a peer that pings without reading the answers gets no more of them
            }

            _frames.Enqueue(frame);
            Interlocked.Increment(ref _count); // [control]
        }
    }

    /// <summary>Sends what fits into the ring. The caller holds the write lock.</summary>
    /// <returns>Whether all of them did.</returns>
    public bool Flush(FrameBuilder builder)
    {
        lock (_frames)
        {
            while (_frames.Count != 0)
            {
                ControlFrame frame = _frames.Peek();
                FrameHeader header = frame.Header;
                if (!builder.TrySend(in header, frame.Body))
                    return false;

                _frames.Dequeue();
                if (header.Kind == FrameKind.Pong)
                    _pongs--;
                Interlocked.Decrement(ref _count);
            }

            return true;
        }
    }
}
