using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Messages that are longer than a block: the slot holds a descriptor, the bytes stand in a block of the
/// pool.</summary>
/// <remarks>The order decides what a crash leaves: the descriptor is in the slot and the loan published before the slot
/// is ready; the slot is free before the loan is. In between the loan is named by nobody, and the sweep of the next
/// recovery frees it.</remarks>
internal sealed unsafe partial class QueueSender
{
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private bool TryClaimLong(int length, out QueueClaim claim, bool marks = false)
    {
        CheckLength(length);
        QueueSpaceCondition condition = new(this, length, marks);
        try
        {
            if (condition.IsTrue())
            {
                claim = condition.Taken();
                return true;
            }
        }
        finally
        {
            condition.End();
        }

        claim = default;
        return Full();
    }

    /// <summary>Sends a long message if a block and a slot are to be had at once; everything else is for those who
    /// wait.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private bool TrySendLong(ReadOnlySpan<byte> payload, ushort type)
    {
        if (_closed != 0 || _pool is not { } pool || (uint)payload.Length > pool.MaxLength ||
            !pool.TryTakeFast(_me, (uint)payload.Length, out Loan loan))
        {
            return false;
        }

        if (!TryTakeFast(marks: true, out SlotHeader* slot, out ulong word))
        {
            pool.GiveBack(loan);
            return false;
        }

        if (Atomic.LoadAcquire(ref _closed) != 0)
        {
            Abandon(slot, word, loan);
            return false;
        }

        payload.CopyTo(new Span<byte>(loan.Bytes, payload.Length));
        return CommitLoan(slot, word, loan, (uint)payload.Length, type) || TakenAway();
    }

    /// <summary>The message is in a loan, which is published first: whoever finds the slot ready must find the block so
    /// too.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool CommitLoan(SlotHeader* slot, ulong word, in Loan loan, uint length, ushort type)
    {
        if (((Atomic.LoadAcquire(ref slot->State) ^ word) & ~SlotState.Sealed) != 0)
        {
            _pool!.GiveBack(loan);
            return false;
        }

        LoanDescriptor descriptor = loan.Describe(length);
        descriptor.WriteTo((byte*)slot + SlotHeader.ByteSize); // plain, as are length, type and flags
        // after the descriptor: who sees the lap in a recovery sees that too
        Atomic.StoreRelease(ref slot->LoanLap, SlotState.LapOf(word));
        *(ulong*)&slot->Length = (ulong)SlotHeader.LoanFlag << 48 | (ulong)type << 32 | length;
        if (!_pool!.Publish(loan, (ulong)((byte*)slot - _segments.Region.Base))) // [loan]
        {
            Abandon(slot, word);
            return false;
        }

        if (Commit(slot, word, length, type, SlotHeader.LoanFlag))
            return true;
        _pool.Free(descriptor);
        return false;
    }

    /// <summary>It needs a loan.</summary>
    public bool IsLong(int length) => (uint)length > _blockSize;

    public bool TryTakeLoan(int length, out Loan loan) => _pool!.Take(_me, (uint)length, out loan) == IpcStatus.Ok;

    public void GiveBack(in Loan loan) => _pool!.GiveBack(loan);
}
