using System;

namespace Ipc;

/// <summary>Memory behind the blocks: made present when it is needed, given back when the budget is, or on
/// request.</summary>
/// <remarks>
/// What a block may have is written (<c>Claimed</c>, under the growth lock, so that the sum over all blocks never
/// passes the budget) before pages are made, and what it has (<c>Present</c>) afterwards. Pages go in the opposite
/// order. So at every moment, and after a kill at any moment, memory is only where it is claimed; what an owner claimed
/// and did not finish goes back when it is recovered.
/// </remarks>
internal sealed unsafe partial class Pool
{
    /// <summary>What came of an attempt to give a block more pages. Busy: somebody has the region lock.</summary>
    private enum Growth { Done, NoBlock, NoRoom, Busy }

    /// <summary>Gives the pages of all free blocks back to the system.</summary>
    public void Trim(uint owner)
    {
        if (_hasTable)
            Reclaim(uint.MaxValue, owner);
    }

    /// <summary>What is present, in bytes, as far as blocks are honest.</summary>
    public ulong PresentBytes()
    {
        ulong pages = 0;
        for (int @class = 0; HasTable && @class < _geometry.Classes; @class++)
        {
            for (uint index = 0; index < _counts[@class]; index++)
                pages += Present(Block(@class, index), @class);
        }

        return pages * PoolHeader.Page;
    }

    /// <summary>Makes an own loan longer, keeping its bytes: where it is, or in a larger block. False, and nothing has
    /// changed: nothing to be had now.</summary>
    public bool TryExtend(ref Loan loan, uint length, uint used)
    {
        if (length <= loan.Capacity)
            return true;
        uint owner = PoolBlock.OwnerOf(loan.State);
        if (length <= PoolGeometry.BlockSize(loan.Class) &&
            Grow(loan.Class, loan.Index, PagesFor(length)) == Growth.Done)
        {
            loan = LoanOf(loan.Class, loan.Index, loan.State);
            return true;
        }

        if (TryTakeToGrow(owner, length, out Loan larger) != IpcStatus.Ok)
            return false;
        Buffer.MemoryCopy(loan.Bytes, larger.Bytes, larger.Capacity, used);
        GiveBack(loan);
        loan = larger;
        return true;
    }

    /// <summary>Like <see cref="TryTake(uint, uint, out Loan)"/>, for a message whose length is not known yet: in a
    /// block of more address space than it needs now, so that it grows where it is. Each move would copy it, and leave
    /// memory behind in a block that has become too small.</summary>
    public IpcStatus TryTakeToGrow(uint owner, uint length, out Loan loan)
    {
        const int Headroom = 4; // classes: sixteen times the length
        if (!_hasTable && !TryMakeTable())
        {
            loan = default;
            return IpcStatus.Full;
        }

        int smallest = PoolGeometry.ClassFor(length);
        uint pages = PagesFor(length);
        for (int @class = Math.Min(smallest + Headroom, _geometry.Classes - 1); @class > smallest; @class--)
        {
            if (TakePresent(@class, pages, owner, out loan) ||
                TakeGrowing(@class, pages, owner, out loan) == Growth.Done)
            {
                return IpcStatus.Ok;
            }
        }

        return TryTake(owner, length, out loan);
    }

    /// <summary>Takes a block of the class that is noted as free, and gives it the pages that it lacks.</summary>
    private Growth TakeGrowing(int @class, uint pages, uint owner, out Loan loan)
    {
        for (uint index = 0; index < _geometry.Count(@class); index++)
        {
            if (!IsNoted(@class, index) || !TryTake(@class, index, pages: 0, owner, out loan))
                continue;
            Growth growth = Growth.NoRoom;
            try
            {
                growth = Grow(@class, index, pages);
                if (growth == Growth.Done)
                    loan = LoanOf(@class, index, loan.State);
            }
            finally
            {
                if (growth != Growth.Done)
                {
                    GiveBack(loan);
                    loan = default;
                }
            }

            return growth;
        }

        loan = default;
        return Growth.NoBlock;
    }

    /// <summary>The block is the caller's own.</summary>
    private Growth Grow(int @class, uint index, uint pages)
    {
        PoolBlock* block = Block(@class, index);
        uint present = Present(block, @class);
        if (present >= pages)
            return Growth.Done;
        if (!TryLockGrowth())
            return Growth.Busy;
        try
        {
            ulong others = ClaimedPages() - Claimed(block, @class);
            if (others + pages > _geometry.Budget / PoolHeader.Page)
                return Growth.NoRoom;
            Atomic.StoreRelease(ref block->Claimed, pages);
        }
        finally
        {
            UnlockGrowth();
        }

        FaultPoints.Pass(FaultPoints.PoolGrowClaimed);
        ulong from = OffsetOf(@class, index) + present * PoolHeader.Page;
        if (!Os.Current.Populate(_file, _view.Base, from, (pages - present) * PoolHeader.Page))
        {
            _ = DropUnfinishedPages(block, @class, index);
            return Growth.NoRoom;
        }

        FaultPoints.Pass(FaultPoints.PoolGrowPresent);
        Atomic.StoreRelease(ref block->Present, pages); // [present]
        return Growth.Done;
    }

    /// <summary>The block is the caller's own, or its dead owner's: pages that were claimed, and perhaps made, but
    /// never announced.</summary>
    /// <returns>False: the system keeps them, so they stay claimed.</returns>
    private bool DropUnfinishedPages(PoolBlock* block, int @class, uint index)
    {
        uint present = Present(block, @class);
        uint claimed = Claimed(block, @class);
        if (claimed > present &&
            !Os.Current.GiveBackPages(
                _view.Base, OffsetOf(@class, index) + present * PoolHeader.Page, (claimed - present) * PoolHeader.Page))
        {
            return false;
        }

        Atomic.StoreRelease(ref block->Claimed, present);
        return true;
    }

    /// <summary>Free blocks give their pages back, the largest first, until that many are to be had. False: none
    /// was.</summary>
    private bool Reclaim(uint pages, uint owner)
    {
        ulong given = 0;
        for (int @class = _geometry.Classes - 1; @class >= 0 && given < pages; @class--)
        {
            for (uint index = 0; index < _geometry.Count(@class) && given < pages; index++)
            {
                PoolBlock* block = Block(@class, index);
                uint claimed = Claimed(block, @class);
                if (claimed != 0 && TryTakePages(@class, index, owner))
                    given += claimed;
            }
        }

        return given != 0;
    }

    /// <summary>Takes a free block's pages; false when it is not free, or the system keeps them.</summary>
    private bool TryTakePages(int @class, uint index, uint owner)
    {
        PoolBlock* block = Block(@class, index);
        if (!TryTake(@class, index, pages: 0, owner, out Loan loan))
            return false;
        uint present = Present(block, @class);
        Atomic.StoreRelease(ref block->Present, 0); // first, so that a death here leaves nothing announced
        bool removed = DropUnfinishedPages(block, @class, index);
        if (!removed)
            Atomic.StoreRelease(ref block->Present, present); // [present]
        GiveBack(loan);
        return removed;
    }

    private ulong ClaimedPages()
    {
        ulong pages = 0;
        for (int @class = 0; @class < _geometry.Classes; @class++)
        {
            for (uint index = 0; index < _geometry.Count(@class); index++)
                pages += Claimed(Block(@class, index), @class);
        }

        return pages;
    }

    /// <summary>Only tries: calls that never block come here, and who waits looks again soon.</summary>
    private bool TryLockGrowth() => _region is null || _region.TryLock(Deadline.Now);

    private void UnlockGrowth() => _region?.Unlock();
}
