using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Messages longer than a block: they stand in a block of the pool, and the slot names it; docs/wire-format.md
/// section 11.</summary>
/// <remarks>
/// A message's loan lives as long as its slot: the writer that takes the slot anew frees it. When the pool has nothing
/// left, a writer need not wait for that: what every reader that writers wait for has passed it makes a gap (marked, so
/// that a lossy reader counts it as lost), and frees its loan at once.
/// </remarks>
public sealed unsafe partial class TopicWriter
{
    private const ulong LoanNap = 20_000_000; // ns; that there is a loan again is not always signalled

    /// <summary>A block that is to be had at once; what is left of an earlier attempt is for the slow path.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTakeLoanFast(uint length) =>
        _loan.Bytes == null && Pool is { } pool && length <= pool.MaxLength &&
        pool.TryTakeFast(_owner, length, out _loan);

    private bool TryTakeLoan(uint length)
    {
        if (_loan.Bytes != null && _loan.Capacity >= length)
            return true;
        GiveLoanBack();
        if (Pool!.Take(_owner, length, out _loan) == IpcStatus.Ok)
            return true;

        int slowest = FindSlowest(out ulong least);
        ulong tail = Atomic.LoadAcquire(ref Header->Tail);
        // Some more than this message needs, so that not every message has to; not all, for late and lossy readers may
        // want them.
        ulong wanted = Math.Max(length, Pool.Geometry.Budget / 8);
        while (ReclaimPassed(tail, wanted))
        {
            if (Pool.Take(_owner, length, out _loan) == IpcStatus.Ok)
                return true;
        }

        _loan = default;
        NoteSlowReader(slowest, (long)(tail - least));
        return false;
    }

    private void GiveLoanBack()
    {
        if (_loan.Bytes == null)
            return;
        Pool!.GiveBack(_loan);
        _loan = default;
    }

    /// <summary>Makes gaps of the oldest messages with loans that nobody needs any more, until that many bytes are
    /// free. False: there was none.</summary>
    private bool ReclaimPassed(ulong tail, ulong wanted)
    {
        ulong freed = 0;
        ulong oldest = tail - (ulong)_count;
        ulong position = (long)(_reclaimed - oldest) > 0 ? _reclaimed : oldest;
        for (; (long)(position - _minimum) < 0 && position != tail && freed < wanted; position++)
        {
            SlotHeader* slot = SlotAt(position);
            ulong word = Atomic.LoadAcquire(ref slot->State); // [ready-slot]
            if ((word & ~SlotState.OwnerMask) != SlotState.At(position, _lapShift, 0, SlotState.Ready) ||
                slot->Flags != SlotHeader.LoanFlag)
            {
                continue;
            }

            LoanDescriptor descriptor = *(LoanDescriptor*)(slot + 1); // before the word changes: then it is anybody's
            if (!Atomic.TryExchange(
                &slot->State, word, SlotState.With(word, SlotState.OwnerOf(word), SlotState.Gap) | SlotState.Reclaimed))
            {
                continue;
            }

            FaultPoints.Pass(FaultPoints.TopicReclaimGap);
            Pool!.Free(descriptor);
            freed += Math.Max(1, descriptor.Length);
        }

        _reclaimed = position;
        return freed != 0;
    }

    /// <summary>The slot is ours; what its last message had borrowed is not needed any more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private void FreeOldLoan(SlotHeader* slot)
    {
        LoanDescriptor descriptor = *(LoanDescriptor*)(slot + 1);
        if (slot->Flags == SlotHeader.LoanFlag)
            Pool?.Free(descriptor);
        slot->Flags = 0;
    }

    /// <summary>First the slot names the block, then the block is published, then the slot: so at no moment is there a
    /// loan that belongs to nobody.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void CommitLoan(uint length, ushort type, ulong key)
    {
        SlotHeader* slot = _claimSlot;
        Loan loan = _loan;
        LoanDescriptor descriptor = loan.Describe(length);
        descriptor.WriteTo(slot + 1);
        slot->Length = length;
        slot->Type = type;
        slot->Key = key;
        slot->Flags = SlotHeader.LoanFlag;
        // [loan] last: from here on the slot names the block
        Atomic.StoreRelease(ref slot->LoanLap, SlotState.LapOf(_claimWord));
        if (!Pool!.Publish(loan, (ulong)((byte*)slot - Region.Base)))
        {
            AbandonClaim();
            LostClaim();
            return;
        }

        _loan = default;
        if (TryMakeReady())
            return;
        Pool.Free(descriptor); // nothing names it
        LostClaim();
    }

    /// <summary>A loan to be had. Looked for before each sleep, and now and then while spinning: it takes a walk over
    /// the pool.</summary>
    private struct LoanCondition : IWaitCondition
    {
        private const int TurnsBetweenLooks = 256;

        private readonly TopicWriter _writer;
        private readonly uint _length;
        private int _turns;

        public LoanCondition(TopicWriter writer, uint length)
        {
            _writer = writer;
            _length = length;
            _turns = 1; // it has been looked for just now
        }

        public readonly ulong LongestSleep => LoanNap;

        public bool IsTrue() => _turns++ % TurnsBetweenLooks == 0 && _writer.TryTakeLoan(_length);

        public readonly IpcStatus PeerStatus()
        {
            _writer.Attend();
            return IpcStatus.Ok;
        }

        public bool BeforeSleep()
        {
            _turns = 0;
            return true;
        }
    }
}
