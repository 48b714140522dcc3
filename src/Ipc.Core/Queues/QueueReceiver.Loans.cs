using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Messages that are longer than a block: see the sender's part.</summary>
internal sealed unsafe partial class QueueReceiver
{
    /// <summary>A loan, or nonsense: then the slot is freed, so that the next message can be received, and this one
    /// reported.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private QueueMessage LongMessage(SlotHeader* slot, ulong word, ulong about)
    {
        string? wrong = null;
        if (about >> 48 == SlotHeader.LoanFlag && _pool is not null)
        {
            uint lap = Atomic.LoadAcquire(ref slot->LoanLap);
            LoanDescriptor descriptor = *(LoanDescriptor*)((byte*)slot + SlotHeader.ByteSize); // once
            Loan loan = default;
            wrong = lap == SlotState.LapOf(word)
                ? _pool.Resolve(descriptor, out loan)
                : $"a message of lap {SlotState.LapOf(word)} in a loan of lap {lap}";
            if (wrong is null)
                return new QueueMessage(
                    this, slot, word, loan.Bytes, descriptor.Length, (ushort)(about >> 32), isLoan: true, descriptor);
        }

        Release(slot, word);
        _segments.Corrupted(
            wrong ?? $"a message of {(uint)about} bytes and flags 0x{about >> 48:X}; a block has {_blockSize}");
        return default;
    }

    /// <summary>Releases; then its loan is free. The descriptor was copied while the slot was ours.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    public void ReleaseLoan(SlotHeader* slot, ulong word, in LoanDescriptor loan)
    {
        FaultPoints.Pass(FaultPoints.QueueReleaseBeforeFree);
        if ((word & SlotState.Redelivered) != 0 && Atomic.LoadAcquire(ref _closed) != 0)
            return; // see Release
        if (!QueueSegments.TryChange(slot, word, SlotState.NextFree(word) - word)) // [free-slot]
            return;
        FaultPoints.Pass(FaultPoints.QueueReleaseAfterFree);
        _pool!.Free(loan); // [loan]
        FaultPoints.Pass(FaultPoints.QueueReleaseLoanFreed);
        Waiter.Signal(&_header->Space);
        GC.KeepAlive(this);
    }
}
