using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>What becomes of a claim: a record, alone or in a batch, or nothing.</summary>
public sealed unsafe partial class RingWriter
{
    /// <summary>Entered already; leaves. False: closed, and nothing was committed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool CommitSlow(int length, ushort type, bool publish)
    {
        try
        {
            if (!Enter())
                return false; // closed: what is not published is dropped
            if (length < 0)
                Throw.NegativeLength(length);
            if (_claimed == NoClaim)
                Throw.NoClaim();
            if (length > _claimed)
                Throw.CommitExceedsClaim(length, _claimed);

            ulong start = _claimStart;
            ulong size = RecordHeader.SizeOf(IsLoan ? LoanDescriptor.ByteSize : (uint)length);
            ZeroLines(start + size, start + _claimSize);

            ulong first = start;
            ulong firstHeader = IsLoan ? RecordLoan(length, type) : RecordHeader.Of((uint)length, type);
            if (start != _tail)
            {
                // The record first, its padding last: the padding stands before it and hides it. Plain: nobody reaches
                // it yet.
                *HeaderAt(start) = firstHeader;
                first = _tail;
                firstHeader = RecordHeader.Padding(start - _tail);
            }

            _tail = start + size;
            _claimed = NoClaim;
            if (_batching)
            {
                *HeaderAt(first) = firstHeader; // plain: hidden behind the withheld header
            }
            else
            {
                _batching = true;
                _batchStart = first;
                _batchHeader = firstHeader;
            }

            if (publish)
            {
                FaultPoints.Pass(FaultPoints.RingCommitBeforePublish);
                PublishBatch();
                FaultPoints.Pass(FaultPoints.RingCommitAfterPublish);
            }

            return true;
        }
        finally
        {
            Leave();
        }
    }

    private void PublishBatch()
    {
        FaultPoints.Pass(FaultPoints.RingBatchBeforePublish);
        _batching = false;
        Atomic.StoreRelease(ref *HeaderAt(_batchStart), _batchHeader); // [publish]
        if (Waiter.NeedsSignal(_data))
            SignalReader();
    }

    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private void SignalReader()
    {
        if (!Waiter.TryTakeSleeper(_data))
            return;
        // our own field, not shared memory: we alone write it, other threads of this process may read it
        Atomic.StoreRelease(ref _wakes, _wakes + 1);
        Link.NotePlace(); // before it wakes: it will ask whether to spin
        if (!Link.RelaySignal())
            Waiter.Wake(_data);
    }

    private void AbandonClaim()
    {
        if (IsLoan)
            AbandonLoan();
        // the first line's header was never written
        ZeroLines(_claimStart + RecordHeader.Line, _claimStart + _claimSize);
        _claimed = NoClaim;
    }

    /// <summary>Restores invariant Z in lines that were claimed and not committed. Plain stores: nobody else looks at
    /// them.</summary>
    private void ZeroLines(ulong from, ulong to)
    {
        for (ulong line = from; line < to; line += RecordHeader.Line)
            *HeaderAt(line) = 0;
    }

    private ulong* HeaderAt(ulong position) => (ulong*)(_records + (position & _mask));
}
