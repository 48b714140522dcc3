using System;
using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
#if NET
using System.Runtime.CompilerServices;
#endif
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>The reading half: hands out the ring's records in place and releases them when they are
/// consumed.</summary>
/// <remarks>One thread at a time; <see cref="CancelPendingRead"/> and the pipe's Dispose are for any. Who waits holds
/// nothing in the ring: docs/pipe-protocol.md section 4.</remarks>
internal sealed class RingPipeReader : PipeReader
{
    private readonly IpcPipe _pipe;
    private readonly Connection _connection;
    private readonly RingReader _ring;
    private readonly Readiness _readiness;
    private readonly ReadBuffer _buffer;
    private readonly bool _copies;
    private readonly long _mostHeld;
    private PipeSpin _spin;
    private Exception? _error; // after what is in hand
    private bool _ended;       // the same
    private bool _completed;
    private int _cancelled; // [cancel]
    private int _reading;   // [half]

    public RingPipeReader(IpcPipe pipe, Readiness readiness, PipeSpin spin, bool copies)
    {
        _pipe = pipe;
        _connection = pipe.Connection;
        _ring = _connection.Reader;
        _readiness = readiness;
        _spin = spin;
        _copies = copies;
        _buffer = new ReadBuffer(_ring);
        _mostHeld = _ring.Capacity / 2;
    }

    /// <summary>It has all that will come, or has been completed.</summary>
    public bool IsOver => _completed || _ended || _error is not null;

    public override bool TryRead(out ReadResult result)
    {
        CheckNotCompleted();
        Enter();
        try
        {
            if (TryReadNow(out result))
                return true;
            _buffer.LeaveRing(); // it may be what leaves no room for more
            if (TryReadNow(out result))
                return true;
            if (!_readiness.MayLook || _ring.Peer == PeerState.Live)
                return false;
            Conclude(); // nobody waits who would be told
            return TryReadNow(out result);
        }
        finally
        {
            Leave();
        }
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        CheckNotCompleted();
        if (cancellationToken.IsCancellationRequested)
            return new ValueTask<ReadResult>(Task.FromCanceled<ReadResult>(cancellationToken));
        Enter();
        bool pending = false;
        try
        {
            if (TryReadNow(out ReadResult result) || TrySpin(cancellationToken, out result))
                return new ValueTask<ReadResult>(result);
            pending = true;
        }
        finally
        {
            if (!pending)
                Leave();
        }

        return ReadSlowAsync(cancellationToken);
    }

    /// <summary>The same, holding the thread.</summary>
    public ReadResult Read()
    {
        CheckNotCompleted();
        Enter();
        try
        {
            ReadResult result;
            while (!TryReadNow(out result) && !TrySpin(CancellationToken.None, out result))
            {
                if (PrepareWait() && !_readiness.Wait())
                    Conclude();
            }

            return result;
        }
        finally
        {
            Leave();
        }
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        CheckNotCompleted();
        CheckNotReading();
        _buffer.Advance(consumed, examined);
    }

    public override void CancelPendingRead()
    {
        Interlocked.Exchange(ref _cancelled, 1);
        _readiness.Cancel();
    }

    public override void Complete(Exception? exception = null)
    {
        if (_completed)
            return;
        CheckNotReading();
        _completed = true;
        _buffer.Drop();
        _pipe.HalfIsOver();
    }

    private bool TryReadNow(out ReadResult result)
    {
        if (Volatile.Read(ref _cancelled) != 0 && Interlocked.Exchange(ref _cancelled, 0) != 0)
        {
            result = new ReadResult(_buffer.Sequence, isCanceled: true, isCompleted: false);
            return true;
        }

        Fill();
        if (_buffer.HasUnexamined || _ended)
        {
            result = new ReadResult(_buffer.Sequence, isCanceled: false, _ended);
            return true;
        }

        if (_error is not null)
            throw _error;
        result = default;
        return false;
    }

    /// <summary>Takes what is there, and no more than the ring has room for: a writer may be as fast as the copies.
    /// True: something was.</summary>
    private bool Fill()
    {
        bool found = false;
        try
        {
            while (!_ended && _error is null && _buffer.Held < _mostHeld &&
                (!_copies || _buffer.Unexamined < _mostHeld) && _readiness.MayLook && _ring.TryRead(out RingRecord record))
            {
                Take(record);
                found = true;
            }
        }
        catch (CorruptRegionException error)
        {
            _error = error;
            found = true;
        }

        return found;
    }

    private void Take(in RingRecord record)
    {
        ReadOnlySpan<byte> payload = record.Payload;
        switch (record.Type)
        {
            case PipeRecord.Data when !payload.IsEmpty && !_copies:
                _buffer.Add(payload);
                return; // released when it is consumed
            case PipeRecord.Data when !payload.IsEmpty:
                _buffer.AddCopy(payload);
                break;
            case PipeRecord.End when payload.IsEmpty:
                _ended = true;
                break;
            case PipeRecord.Abort when payload.Length <= PipeRecord.LongestText:
                string text = Encoding.UTF8.GetString(payload.ToArray());
                _error = new IpcException(IpcStatus.PeerClosed, "The other side cut its stream off: " + text);
                break;
            default:
                _error = new IpcException(
                    IpcStatus.Corrupt,
                    $"The ring holds a record of type {record.Type} with {payload.Length} bytes, which no pipe writes.");
                _connection.Shutdown(CloseCode.Protocol, "What came is not what a pipe writes.");
                break;
        }

        if (_buffer.Held == 0)
            _ring.Release();
    }

    private bool TrySpin(CancellationToken cancellationToken, out ReadResult result)
    {
        result = default;
        if (!_readiness.MayLook || IsOver || !_spin.TryBegin())
            return false;
        _buffer.LeaveRing(); // that it waits without sleeping makes no room
        bool found = false;
        while (!found && Volatile.Read(ref _cancelled) == 0 && !cancellationToken.IsCancellationRequested &&
            _ring.IsPeerLive && _spin.Turn())
        {
            found = Fill();
        }

        _spin.End(found);
        return TryReadNow(out result);
    }

    /// <summary>False: there is something to look at instead.</summary>
    private bool PrepareWait()
    {
        _buffer.LeaveRing();
        _readiness.Prepare();
        return Volatile.Read(ref _cancelled) == 0;
    }

#if NET
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    private async ValueTask<ReadResult> ReadSlowAsync(CancellationToken cancellationToken)
    {
        CancellationTokenRegistration registration = default;
        try
        {
            ReadResult result;
            do
            {
                if (!PrepareWait())
                    continue;
                if (cancellationToken.CanBeCanceled)
                    registration = Register(cancellationToken);
                long began = Stopwatch.GetTimestamp();
                bool more = await _readiness.WaitAsync().ConfigureAwait(false);
                _spin.Slept(TimeSpan.FromSeconds((double)(Stopwatch.GetTimestamp() - began) / Stopwatch.Frequency));
                registration.Dispose(); // waits for a cancellation that is under way: it must not hit the next read
                if (!more)
                    Conclude();
                cancellationToken.ThrowIfCancellationRequested();
            }
            while (!TryReadNow(out result));
            return result;
        }
        catch (IpcException error)
        {
            _error ??= error;
            throw;
        }
        finally
        {
            registration.Dispose();
            Leave();
        }
    }

    private CancellationTokenRegistration Register(CancellationToken cancellationToken) =>
#if NET
        cancellationToken.UnsafeRegister(static self => ((RingPipeReader)self!)._readiness.Cancel(), this);
#else
        cancellationToken.Register(static self => ((RingPipeReader)self!)._readiness.Cancel(), this);
#endif

    /// <summary>Nothing will ever come, but for what came just before that: why?</summary>
    private void Conclude()
    {
        if (Fill() || _ended || _error is not null)
            return; // there may be more of it: who asks again comes here again
        if (_pipe.IsDisposed)
            _error = new ObjectDisposedException(nameof(IpcPipe), "The pipe is disposed.");
        else if (_connection.PeerCloseCode == CloseCode.Normal)
            _ended = true;
        else
            _error = _pipe.HowItEnded();
        _pipe.TellClosed();
    }

    private void Enter()
    {
        if (Interlocked.Exchange(ref _reading, 1) != 0)
            throw new InvalidOperationException("Another read is pending; one at a time.");
    }

    private void Leave() => Volatile.Write(ref _reading, 0);

    private void CheckNotReading()
    {
        if (Volatile.Read(ref _reading) != 0)
            throw new InvalidOperationException("A read is pending; one at a time.");
    }

    private void CheckNotCompleted()
    {
        if (_completed)
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
    }
}
