using System;
using System.IO.Pipelines;
#if NET
using System.Runtime.CompilerServices;
#endif
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>The writing half: memory that it hands out is a claim in the ring while there is room, and memory of its
/// own when there is none.</summary>
/// <remarks>One thread at a time; <see cref="CancelPendingFlush"/> and the pipe's Dispose are for any. Order: claims
/// that are committed, then the backlog; while there is a backlog nothing is claimed.</remarks>
#pragma warning disable CA1001 // what it has holds nothing that has to be freed: a source without a timer
internal sealed partial class RingPipeWriter : PipeWriter
#pragma warning restore CA1001
{
    private const int LeastClaim = 512;

    private readonly IpcPipe _pipe;
    private readonly RingWriter _ring;
    private readonly RingMemory _memory;
    private readonly WriteBacklog _backlog = new();
    private readonly int _piece;
    private PipeSpin _spin;
    private CancellationTokenSource _cancel = new(); // [cancel]
    private Memory<byte> _claim;
    private int _claimed; // bytes of it that are written
    private int _nextClaim = LeastClaim;
    private long _batched; // bytes that are committed and not published
    private int _cancelled; // [cancel]
    private int _isUnsent; // [unsent]: there is, or may be, something that was taken from the user and is not in the ring
    private int _writing; // [half]
    private bool _lost; // something was thrown away, as the pipe was disposed: nothing more may follow it
    private bool _completed;

    public RingPipeWriter(IpcPipe pipe, PipeSpin spin)
    {
        _pipe = pipe;
        _ring = pipe.Connection.Writer;
        _memory = new RingMemory(_ring);
        _spin = spin;
        _piece = PipeRecord.LongestPiece(_ring);
    }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _batched + _claimed + _backlog.Length;

    /// <summary>Something that was given to it will never be in the ring. For the thread that writes.</summary>
    public bool HasLost => _lost;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (sizeHint < 0)
            throw new ArgumentOutOfRangeException(nameof(sizeHint));
        CheckNotCompleted();
        CheckNotWriting();
        int wanted = Math.Max(sizeHint, 1);
        if (_backlog.IsEmpty && !_lost && !_pipe.IsDisposed)
        {
            if (_claim.Length - _claimed >= wanted)
                return _claim.Slice(_claimed);
            CloseClaim(publish: false);
            int length = Math.Max(wanted, _nextClaim);
            if (length <= _piece && _ring.TryClaim(length, out Span<byte> claim))
            {
                _claim = _memory.Set(claim);
                return _claim;
            }
        }
        else
        {
            CloseClaim(publish: false); // of before: what Advance will mean is what is handed out last
        }

        return _backlog.GetMemory(wanted);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        CheckNotWriting();
        if (_claim.IsEmpty)
        {
            _backlog.Advance(bytes);
        }
        else
        {
            if ((uint)bytes > (uint)(_claim.Length - _claimed))
                throw new ArgumentOutOfRangeException(nameof(bytes));
            _claimed += bytes;
        }

        if (bytes != 0)
            _ = TryBegin();
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        WriteAsync(ReadOnlyMemory<byte>.Empty, cancellationToken);

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        CheckNotCompleted();
        if (cancellationToken.IsCancellationRequested)
            return new ValueTask<FlushResult>(Task.FromCanceled<FlushResult>(cancellationToken));
        Enter();
        bool pending = false;
        try
        {
            Publish();
            ReadOnlyMemory<byte> rest = source;
            if (Push(ref rest))
                return new ValueTask<FlushResult>(Result());
            pending = true;
            return WriteSlowAsync(rest, cancellationToken);
        }
        finally
        {
            if (!pending)
                Leave();
        }
    }

    /// <summary>The same, holding the thread. False: nobody reads any more, and not all of it is in the ring.</summary>
    public bool Write(ReadOnlySpan<byte> source)
    {
        CheckNotCompleted();
        Enter();
        try
        {
            Publish();
            while (_ring.IsPeerLive && !PushBacklog())
            {
                ReadOnlyMemory<byte> piece = _backlog.Peek(_piece);
                if (!WriteWaiting(piece.Span))
                    break;
                _backlog.Remove(piece.Length);
            }

            while (!source.IsEmpty && !_lost && TryBegin() && _ring.IsPeerLive)
            {
                int length = Math.Min(source.Length, _piece);
                if (!WriteWaiting(source.Slice(0, length)))
                    break;
                source = source.Slice(length);
            }

            _lost |= !source.IsEmpty || !_backlog.IsEmpty;
            Settle();
            return !_lost;
        }
        finally
        {
            Leave();
        }
    }

    private bool WriteWaiting(ReadOnlySpan<byte> piece) =>
        _ring.Write(piece, PipeRecord.Data, Deadline.Never) == IpcStatus.Ok;

    public override void CancelPendingFlush()
    {
        Interlocked.Exchange(ref _cancelled, 1);
        Volatile.Read(ref _cancel).Cancel();
    }

    /// <summary>What is claimed becomes a record.</summary>
    private void CloseClaim(bool publish)
    {
        if (!_claim.IsEmpty)
        {
            if (_claimed == _claim.Length) // one that is used up was too short
                _nextClaim = Math.Min(2 * _claim.Length, _piece);
            else if (_claimed < _claim.Length / 4)
                _nextClaim = Math.Max(_nextClaim / 2, LeastClaim);
            _claim = default;
            _memory.Clear();
            if (_claimed == 0)
                _ring.Abandon();
            else if (_lost || _pipe.IsDisposed)
                _lost = true;
            else if (publish && _batched == 0)
                _ring.Commit(_claimed, PipeRecord.Data);
            else
                _ring.CommitBatched(_claimed, PipeRecord.Data);
            _batched += _lost ? 0 : _claimed;
            _claimed = 0;
        }

        if (!publish || _batched == 0)
            return;
        _ring.Flush();
        _batched = 0;
    }

    private void Publish()
    {
        CloseClaim(publish: true);
        Settle();
    }

    /// <summary>All that was taken from the user is in the ring, if there is no backlog; or it will never be, and is
    /// not kept.</summary>
    private void Settle()
    {
        if (_lost)
            _backlog.Clear();
        else if (_backlog.IsEmpty)
            Volatile.Write(ref _isUnsent, 0);
    }

    /// <summary>What has room. True: nothing is left, or nobody is there to read it. Says nothing of what the user
    /// holds: who disposes is to see that as unsent all the time.</summary>
    private bool PushBacklog()
    {
        while (!_backlog.IsEmpty)
        {
            ReadOnlyMemory<byte> piece = _backlog.Peek(_piece);
            _lost |= _pipe.IsDisposed || !_ring.IsPeerLive;
            if (_lost)
                return true;
            if (!_ring.TryWrite(piece.Span, PipeRecord.Data))
                return false;
            _backlog.Remove(piece.Length);
        }

        return true;
    }

    /// <summary>The same, and then for what the user holds.</summary>
    private bool Push(ref ReadOnlyMemory<byte> rest)
    {
        if (!PushBacklog())
            return false;
        if (!rest.IsEmpty)
            _lost |= !TryBegin();
        while (!rest.IsEmpty && !_lost)
        {
            int length = Math.Min(rest.Length, _piece);
            _lost |= !_ring.IsPeerLive;
            if (_lost)
                break;
            if (!_ring.TryWrite(rest.Span.Slice(0, length), PipeRecord.Data))
                return false;
            rest = rest.Slice(length);
        }

        Settle();
        return true;
    }

    /// <summary>Before a piece of something: a Dispose of another thread either comes before it, or sees that it cuts
    /// something off.</summary>
    private bool TryBegin()
    {
        if (Volatile.Read(ref _isUnsent) == 0)
            Interlocked.Exchange(ref _isUnsent, 1);
        return !_pipe.IsDisposed;
    }

#if NET
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    private async ValueTask<FlushResult> WriteSlowAsync(ReadOnlyMemory<byte> rest, CancellationToken cancellationToken)
    {
        CancellationTokenRegistration registration = default;
        try
        {
            while (!Spin(ref rest, cancellationToken))
            {
                PrepareWait();
                if (cancellationToken.CanBeCanceled)
                    registration = Register(cancellationToken);
                bool isBacklog = !_backlog.IsEmpty;
                ReadOnlyMemory<byte> piece =
                    isBacklog ? _backlog.Peek(_piece) : rest.Slice(0, Math.Min(rest.Length, _piece));
                bool written =
                    Volatile.Read(ref _cancelled) == 0 && await TryWriteAsync(piece).ConfigureAwait(false);
                registration.Dispose(); // waits for a cancellation that is under way: it must not hit the next flush
                if (written)
                {
                    if (isBacklog)
                        _backlog.Remove(piece.Length);
                    else
                        rest = rest.Slice(piece.Length);
                    continue; // also if that was all, and the pipe is being disposed: then it is not cut off
                }

                if (!_pipe.IsOpen)
                {
                    _lost = true;
                    Settle();
                    break;
                }

                _backlog.Append(rest.Span); // it was taken: the next flush goes on with it
                cancellationToken.ThrowIfCancellationRequested();
                if (Interlocked.Exchange(ref _cancelled, 0) != 0)
                    return new FlushResult(isCanceled: true, isCompleted: false);
                rest = default;
            }

            return Result();
        }
        finally
        {
            registration.Dispose();
            Leave();
        }
    }

    /// <summary>False: cancelled, being disposed, or the peer has gone.</summary>
    private async ValueTask<bool> TryWriteAsync(ReadOnlyMemory<byte> piece)
    {
        try
        {
            await _ring.WriteAsync(piece, PipeRecord.Data, _cancel.Token).ConfigureAwait(false);
            return true;
        }
        catch (Exception error) when (error is OperationCanceledException or ObjectDisposedException ||
            error is IpcException { Status: IpcStatus.PeerClosed or IpcStatus.PeerDied or IpcStatus.Stopped })
        {
            return false;
        }
    }

    /// <summary>True: everything is in the ring, or nobody reads it.</summary>
    private bool Spin(ref ReadOnlyMemory<byte> rest, CancellationToken cancellationToken)
    {
        if (Push(ref rest))
            return true;
        if (!_spin.TryBegin())
            return false;
        bool found = false;
        try
        {
            while (!found && Volatile.Read(ref _cancelled) == 0 && !cancellationToken.IsCancellationRequested &&
                _spin.Turn())
            {
                found = Push(ref rest);
            }
        }
        finally
        {
            _spin.End(found); // also when the peer has made the ring one that throws
        }

        return found;
    }

    private void PrepareWait()
    {
        if (_cancel.IsCancellationRequested)
            Interlocked.Exchange(ref _cancel, new CancellationTokenSource());
        else
            Interlocked.MemoryBarrier(); // [cancel]
    }

    private CancellationTokenRegistration Register(CancellationToken cancellationToken) =>
#if NET
        cancellationToken.UnsafeRegister(static self => Volatile.Read(ref ((RingPipeWriter)self!)._cancel).Cancel(), this);
#else // [cancel]
        cancellationToken.Register(static self => Volatile.Read(ref ((RingPipeWriter)self!)._cancel).Cancel(), this);
#endif

    private FlushResult Result() => new(
        isCanceled: Interlocked.Exchange(ref _cancelled, 0) != 0,
        isCompleted: _pipe.IsDisposed || !_ring.IsPeerLive);

    private void Enter()
    {
        if (Interlocked.Exchange(ref _writing, 1) != 0)
            throw new InvalidOperationException("Another write is pending; one at a time.");
    }

    private void Leave() => Volatile.Write(ref _writing, 0);

    private void CheckNotWriting()
    {
        if (Volatile.Read(ref _writing) != 0)
            throw new InvalidOperationException("A write is pending; one at a time.");
    }

    private void CheckNotCompleted()
    {
        if (_completed)
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
    }
}
