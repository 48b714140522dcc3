using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <content>How it ends: completed, or disposed by anybody.</content>
internal sealed partial class RingPipeWriter
{
    private const int LongestReturn = 1000; // ms

    /// <summary>What <see cref="Complete"/> could not write at once; null: nothing.</summary>
    public Task? Tail { get; private set; }

    /// <summary>Any thread, the pipe being disposed: whether closing now cuts the stream off.</summary>
    /// <remarks>A peer may have read, and answered, a write that is only about to return: that one is waited for. One
    /// that waits for room is told to stop, and says whether it had found it. It takes no longer than a wake and a
    /// copy, unless its thread is not run; it begins nothing more.</remarks>
    public bool CutsOff()
    {
        int began = Environment.TickCount;
        SpinWait spin = default;
        if (Volatile.Read(ref _writing) != 0)
            _ring.Stop();
        while (Volatile.Read(ref _isUnsent) != 0 && Volatile.Read(ref _writing) != 0 &&
            Environment.TickCount - began < LongestReturn)
        {
            spin.SpinOnce();
        }

        return Volatile.Read(ref _isUnsent) != 0;
    }

    public override void Complete(Exception? exception = null)
    {
        if (_completed)
            return;
        CheckNotWriting();
        _completed = true;
        Publish();
        ushort type = exception is null ? PipeRecord.End : PipeRecord.Abort;
        byte[] text = exception is null ? Array.Empty<byte>() : PipeRecord.TextOf(exception.Message);
        _ = TryBegin(); // also where nothing was left: the text of an error is not to be lost in silence
        try
        {
            bool isNext = PushBacklog();
            if (isNext && !_lost && _ring.TryWrite(text, type))
            {
                Volatile.Write(ref _isUnsent, 0);
            }
            else if (!_lost && _ring.IsPeerLive)
            {
                Tail = CompleteSlowAsync(text, type); // which may be over by now: it counts for itself
                return;
            }
        }
        catch (CorruptRegionException)
        {
            _lost = true; // who reads has made the ring one that nobody can write to
        }

        _backlog.Clear();
        _pipe.HalfIsOver();
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        Complete(exception);
        if (Tail is { } tail)
            await tail.ConfigureAwait(false);
    }

    private async Task CompleteSlowAsync(byte[] text, ushort type)
    {
        await Task.Yield();
        try
        {
            while (!PushBacklog())
            {
                ReadOnlyMemory<byte> piece = _backlog.Peek(_piece);
                await _ring.WriteAsync(piece, PipeRecord.Data).ConfigureAwait(false);
                _backlog.Remove(piece.Length);
            }

            if (!_lost)
            {
                await _ring.WriteAsync(text, type).ConfigureAwait(false);
                Volatile.Write(ref _isUnsent, 0);
            }
        }
        catch (Exception error) when (error is ObjectDisposedException or IpcException)
        {
            // nobody reads it any more
        }

        _backlog.Clear();
        _pipe.HalfIsOver();
    }
}
