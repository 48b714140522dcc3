using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Small frames (credit, cancel, pong) that anybody may leave behind and whoever holds the write lock
/// sends.</summary>
/// <remarks>So that giving credit or cancelling never waits for a full ring or for another thread's request.</remarks>
internal sealed class ControlQueue
{
    private const int MaxPongs = 16;
    private const int Overhead = 64; // what a frame takes here beside its bytes, about

    private readonly Queue<ControlFrame> _frames = new();
    private readonly long _most;
    private int _count; // [peek]
    private int _pongs;
    private long _bytes;

    /// <param name="most">How many bytes may wait.</param>
    public ControlQueue(long most) => _most = most;

    public bool HasAny => Volatile.Read(ref _count) != 0; // [control]

    /// <returns><see langword="false"/> when too much waits already: the peer does not read.</returns>
    public bool Add(in ControlFrame frame)
    {
        Uninterrupted.Enter(_frames);
        try
        {
            if (frame.Header.Kind == FrameKind.Pong && _pongs++ >= MaxPongs)
            {
                _pongs--;
                return true; // a peer that pings without reading the answers gets no more of them
            }

            int size = SizeOf(in frame);
            if (_bytes + size > _most)
                return false;
            _bytes += size;

            _frames.Enqueue(frame);
            Interlocked.Increment(ref _count); // [control]
            return true;
        }
        finally
        {
            Monitor.Exit(_frames);
        }
    }

    /// <summary>Sends what fits into the ring. The caller holds the write lock.</summary>
    /// <returns>Whether all of them did.</returns>
    public bool Flush(FrameBuilder builder, StreamTransit transit)
    {
        Uninterrupted.Enter(_frames);
        try
        {
            while (_frames.Count != 0)
            {
                ControlFrame frame = _frames.Peek();
                FrameHeader header = frame.Header;
                if (!builder.TryPut(in header, frame.Body, out int length))
                    return false;

                if (header.Kind == FrameKind.Item)
                    transit.Sending(length);
                builder.PublishPut(length);

                _frames.Dequeue();
                _bytes -= SizeOf(in frame);
                if (header.Kind == FrameKind.Pong)
                    _pongs--;
                Interlocked.Decrement(ref _count);
            }

            return true;
        }
        finally
        {
            Monitor.Exit(_frames);
        }
    }

    private static int SizeOf(in ControlFrame frame) => FrameHeader.Size + (frame.Body?.Length ?? 0) + Overhead;
}
