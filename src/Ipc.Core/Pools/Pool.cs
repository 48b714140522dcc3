using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Whether the record or slot at <paramref name="holder"/> names the block of this descriptor (its length
/// means nothing here).</summary>
internal delegate bool LoanIsNamed(ulong holder, in LoanDescriptor descriptor);

/// <summary>The blocks in which messages travel that are too long for a record or a slot. Twin of pool.c;
/// docs/wire-format.md section 11.</summary>
/// <remarks>
/// <para>
/// A block is taken by its sender, filled, published (a record or slot now names it), and freed by whoever has done
/// with the record or slot. Its state word says who has it: every change is a CAS from the whole word that was seen,
/// and each use has a generation of its own, so a change that comes late changes nothing. Whatever a dead process
/// leaves behind is either Owned by it or Published and named by nobody: <see cref="Recover"/> finds both.
/// </para>
/// <para>
/// Blocks are holes of the file until somebody needs them (Pool.Growth.cs): the address space is for every size of
/// message, the memory is bounded by one budget. <c>Claimed</c> and <c>Present</c> of a block are written by its owner
/// alone; what others read there may be old, and a hostile number is cut to the block's size.
/// </para>
/// <para>Any number of threads, also of one object; a sender that is alone needs no region for the growth lock.</para>
/// </remarks>
internal sealed unsafe partial class Pool
{
    private readonly MappedView _view;
    private readonly ulong _offset;
    private readonly byte* _base;
    private readonly PoolGeometry _geometry;
    private readonly uint[] _firstBlocks;
    private readonly ulong[] _firstOffsets;
    private readonly uint[] _counts;
    private readonly Region? _region;
    private readonly RegionFile? _file;
    private uint _freed; // the block that was freed here last, for the next to be taken: class + 1, index; 0: none

    private Pool(MappedView view, ulong offset, in PoolGeometry geometry, Region? region, RegionFile? file)
    {
        _view = view;
        _offset = offset;
        _base = view.Base + offset;
        _geometry = geometry;
        _region = region;
        _file = file;
        _firstBlocks = new uint[geometry.Classes];
        _firstOffsets = new ulong[geometry.Classes];
        _counts = new uint[geometry.Classes];
        for (int @class = 0; @class < geometry.Classes; @class++)
        {
            _firstBlocks[@class] = geometry.FirstBlock(@class);
            _firstOffsets[@class] = geometry.FirstOffset(@class);
            _counts[@class] = geometry.Count(@class);
        }

        _used = new uint[geometry.Classes];
        _held = (uint[])_counts.Clone(); // who comes does not know what others have left
        _holds = true;
    }

    public PoolGeometry Geometry => _geometry;

    /// <summary>The longest message in bytes.</summary>
    public uint MaxLength => (uint)Math.Min(_geometry.Budget, int.MaxValue);

    /// <summary>How often nothing was to be had.</summary>
    public ulong Exhausted => Atomic.LoadAcquire(ref Header->Exhausted);

    private PoolHeader* Header => (PoolHeader*)_base;

    /// <summary>Bytes in the file, holes included; 0 for no budget.</summary>
    public static ulong SizeOf(ulong budget) => budget == 0 ? 0 : new PoolGeometry(budget).Size;

    /// <summary>Bytes of header and table, present from creation but in a connection; 0 for no budget.</summary>
    public static ulong ReservedOf(ulong budget) => budget == 0 ? 0 : new PoolGeometry(budget).Reserved;

    /// <summary>Writes the header of a new pool into zeroed memory.</summary>
    public static void WriteHeader(byte* at, ulong budget)
    {
        PoolHeader* header = (PoolHeader*)at;
        header->Magic = PoolHeader.MagicValue;
        PoolGeometry geometry = new(budget);
        header->Classes = (uint)geometry.Classes;
        header->Budget = budget;
        for (int @class = 0; @class < geometry.Classes; @class++)
        {
            uint count = geometry.Count(@class);
            ulong* free = (ulong*)(at + PoolHeader.FreeOffset) + @class * PoolHeader.FreeWords;
            for (uint first = 0; first < count; first += 64)
                free[first / 64] = count - first >= 64 ? ulong.MaxValue : (1UL << (int)(count - first)) - 1;
        }
    }

    /// <summary>Reads a pool's header once and checks it against the mapping, or against <paramref name="end"/> if that
    /// comes first.</summary>
    /// <param name="view">The region.</param>
    /// <param name="offset">Where the pool is.</param>
    /// <param name="path">For the message.</param>
    /// <param name="region">Whose lock orders those who let blocks grow; null: there is one sender.</param>
    /// <param name="end">No part of it lies behind this.</param>
    /// <param name="file">What blocks grow in, if it is not the region's; null: only by the mapping.</param>
    public static Pool Locate(
        MappedView view, ulong offset, string path, Region? region, ulong end = ulong.MaxValue, RegionFile? file = null)
    {
        end = Math.Min(end, view.Size);
        if (offset % PoolHeader.Page != 0 || offset < RegionHeader.ByteSize || offset > end ||
            end - offset < PoolHeader.TableOffset)
        {
            Throw.Corrupt(
                $"{path}: a pool at {offset}; it must begin at a multiple of {PoolHeader.Page} within {end} bytes.");
        }

        PoolHeader* header = (PoolHeader*)(view.Base + offset);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != PoolHeader.MagicValue)
            Throw.Corrupt($"{path}: pool magic 0x{magic:X8}, expected 0x{PoolHeader.MagicValue:X8}.");
        ulong budget = Atomic.LoadAcquire(ref header->Budget);
        if (!PoolGeometry.IsBudget(budget))
            Throw.Corrupt(
                $"{path}: a pool of {budget} bytes; it must be a multiple of {PoolHeader.Page} from " +
                $"{PoolHeader.MinBudget} to {PoolHeader.MaxBudget}.");
        PoolGeometry geometry = new(budget);
        uint classes = Atomic.LoadAcquire(ref header->Classes);
        if (classes != geometry.Classes)
            Throw.Corrupt($"{path}: a pool of {budget} bytes with {classes} classes; it has {geometry.Classes}.");
        if (geometry.Size > end - offset)
            Throw.Corrupt($"{path}: a pool of {geometry.Size} bytes at {offset}; it must end within {end}.");
        return new Pool(view, offset, geometry, region, file ?? region?.File);
    }

    /// <summary>Takes a block with memory for <paramref name="length"/> bytes.</summary>
    /// <param name="owner">Participant index + 1 (1 where there are no participants).</param>
    /// <param name="length">Bytes of the message.</param>
    /// <param name="loan">The block; give it back or publish it.</param>
    /// <returns>Ok; Full: nothing to be had now, the budget or the file system is used up; TooLarge: never. Does not
    /// wait for others, but for the kernel when pages have to be made.</returns>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Take(uint owner, uint length, out Loan loan)
    {
        if (TryTakeFast(owner, length, out loan))
            return IpcStatus.Ok;
        IpcStatus status = TryTake(owner, length, out loan);
        if (status == IpcStatus.Full)
            Atomic.StoreRelease(ref Header->Exhausted, Exhausted + 1); // a statistic: two at once may count as one
        return status;
    }

    /// <summary>The same without counting: for who looks again and again while it waits.</summary>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus TryTake(uint owner, uint length, out Loan loan)
    {
        loan = default;
        if (length > MaxLength)
            return IpcStatus.TooLarge;
        if (!_hasTable && !TryMakeTable())
            return IpcStatus.Full;
        return TryTakeNoted(owner, length, out loan) || (NoteAll() && TryTakeNoted(owner, length, out loan))
            ? IpcStatus.Ok
            : IpcStatus.Full;
    }

    /// <summary>Tries the fast path: the block that was freed here last, of the class that has the pages, or the
    /// class's first one. A topic's writer frees a block for each that it takes, and looking through the bits would
    /// cost a change of them for each.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool TryTakeFast(uint owner, uint length, out Loan loan)
    {
        uint pages = PagesFor(length);
        uint freed = Atomic.LoadAcquire(ref _freed);
        uint @class = (freed >> 16) - 1;
        if (@class < (uint)_counts.Length && pages <= 1U << (int)@class && pages > (1U << (int)@class) >> 1)
            return TryTake((int)@class, freed & 0xFFFF, pages, owner, out loan);
        loan = default;
        return pages <= 1 && _hasTable && TryTake(0, 0, pages, owner, out loan);
    }

    [MethodImpl(Tiering.Optimized)]
    private bool TryTakeNoted(uint owner, uint length, out Loan loan)
    {
        loan = default;
        uint pages = PagesFor(length);
        int smallest = PoolGeometry.ClassFor(length);
        Growth growth = Growth.NoBlock;
        for (int @class = smallest; @class < _geometry.Classes; @class++)
        {
            if (TakePresent(@class, pages, owner, out loan))
                return true;
            if (growth == Growth.NoBlock)
                growth = TakeGrowing(@class, pages, owner, out loan);
            if (growth == Growth.Done)
                return true;
        }

        // No memory for more pages, although there are blocks: what lies in free blocks of other sizes is given back
        // for this one.
        if (growth == Growth.NoRoom && Reclaim(pages, owner))
        {
            growth = Growth.NoBlock;
            for (int @class = smallest; @class < _geometry.Classes && growth == Growth.NoBlock; @class++)
                growth = TakeGrowing(@class, pages, owner, out loan);
            if (growth == Growth.Done)
                return true;
        }

        return false;
    }

    /// <summary>Owned to Published: the record or slot at <paramref name="holder"/>, which names it already, is about
    /// to be published itself. False: the loan is not ours any more, and the message must not be sent.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool Publish(in Loan loan, ulong holder)
    {
        PoolBlock* block = Block(loan.Class, loan.Index);
        if (Atomic.LoadAcquire(ref block->State) != loan.State)
            return false;
        Atomic.StoreRelease(ref block->Holder, holder);
        FaultPoints.Pass(FaultPoints.PoolPublishBefore);
        // No CAS: nobody but its living owner changes an owned block. Who does all the same is hostile, and could as
        // well have done it afterwards.
        Atomic.StoreRelease(ref block->State, PoolBlock.StateOf(loan.Generation, 0, PoolBlock.Published)); // [loan]
        FaultPoints.Pass(FaultPoints.PoolPublishAfter);
        return true;
    }

    /// <summary>Owned to Free: not sent after all.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void GiveBack(in Loan loan) => Release(loan.Class, loan.Index, loan.State);

    /// <summary>For a receiver: where the message of this descriptor is. The descriptor is a copy, and
    /// hostile.</summary>
    /// <returns>Null, or what is wrong with it.</returns>
    [MethodImpl(Tiering.Optimized)]
    public string? Resolve(in LoanDescriptor copy, out Loan loan)
    {
        // Words are made elsewhere: to build them here would cost every message the frame that they need.
        loan = default;
        if (!IsBlock(copy))
            return NotABlock(copy);
        PoolBlock* block = Block(copy.Class, copy.Index);
        ulong state = Atomic.LoadAcquire(ref block->State); // [loan]
        if (state != PoolBlock.StateOf(copy.Generation, 0, PoolBlock.Published))
            return NotPublished(copy.Generation, state);
        ulong present = Present(block, copy.Class) * PoolHeader.Page; // [present]
        if (copy.Length > present || copy.Length > MaxLength)
            return LongerThanItsBlock(copy.Length, present);
        loan = new Loan(BytesOf(copy.Class, copy.Index), present, state, copy.Class, copy.Index);
        return null;
    }

    /// <summary>Published to Free, if the descriptor's use of the block is still the present one; nothing otherwise,
    /// whatever the descriptor holds.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Free(in LoanDescriptor copy)
    {
        if (!IsBlock(copy))
            return;
        FaultPoints.Pass(FaultPoints.PoolFreeBefore);
        Release(copy.Class, copy.Index, PoolBlock.StateOf(copy.Generation, 0, PoolBlock.Published));
    }

    /// <summary>Frees what the dead have left: blocks that they own, and published ones that nothing names. Idempotent.
    /// Not together with another recovery.</summary>
    /// <param name="deadOwner">Participant index + 1; 0: whoever owns, nobody else takes blocks now;
    /// <see cref="uint.MaxValue"/>: nobody's, only what is published is looked at.</param>
    /// <param name="isNamed">The judge of published blocks.</param>
    public void Recover(uint deadOwner, LoanIsNamed isNamed)
    {
        for (int @class = 0; @class < _geometry.Classes; @class++)
        {
            for (uint index = 0; index < _counts[@class]; index++)
            {
                PoolBlock* block = Block(@class, index);
                ulong state = Atomic.LoadAcquire(ref block->State); // [loan]
                bool left = PoolBlock.PhaseOf(state) switch
                {
                    PoolBlock.Owned => deadOwner == 0 || PoolBlock.OwnerOf(state) == deadOwner,
                    PoolBlock.Published => !isNamed(
                        Atomic.LoadAcquire(ref block->Holder),
                        new LoanDescriptor
                        {
                            Class = (ushort)@class,
                            Index = index,
                            Generation = PoolBlock.GenerationOf(state),
                        }),
                    _ => false,
                };
                if (!left)
                    continue;
                if (PoolBlock.PhaseOf(state) == PoolBlock.Owned)
                    DropUnfinishedPages(block, @class, index);
                Release(@class, index, state);
                FaultPoints.Pass(FaultPoints.PoolRecoverBlock);
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsBlock(in LoanDescriptor copy) =>
        copy.Class < (uint)_counts.Length && copy.Index < _counts[copy.Class] && HasTable;

    [MethodImpl(Tiering.Optimized)]
    private void Release(int @class, uint index, ulong state)
    {
        // [loan] all reads are done
        if (!Atomic.TryExchange(&Block(@class, index)->State, state, PoolBlock.Freed(state)))
            return;
        NoteFree(@class, index);
        Atomic.StoreRelease(ref _freed, (uint)(@class + 1) << 16 | index);
    }

    /// <summary>Free to Owned: the first block that is noted as free and has that many pages, from 0 up, so that few
    /// are in use and their bytes in caches.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool TakePresent(int @class, uint pages, uint owner, out Loan loan)
    {
        uint count = _counts[@class];
        for (uint first = 0; first < count; first += 64)
        {
            ulong bits = Atomic.LoadAcquire(ref *FreeWord(@class, first));
            for (uint index = first; bits != 0 && index < count; index++, bits >>= 1)
            {
                if ((bits & 1) == 0)
                    continue;
                if (TryTake(@class, index, pages, owner, out loan))
                    return true;
                if (!IsFree(@class, index))
                    Forget(@class, index);
            }
        }

        loan = default;
        return false;
    }

    /// <summary>Present is read between the look at the state and the CAS from it: the state has not changed, so nobody
    /// has changed the pages.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTake(int @class, uint index, uint pages, uint owner, out Loan loan)
    {
        loan = default;
        PoolBlock* block = Block(@class, index);
        ulong state = Atomic.LoadAcquire(ref block->State); // [loan]
        if (PoolBlock.PhaseOf(state) != PoolBlock.Free || Present(block, @class) < pages)
            return false;
        ulong owned = PoolBlock.StateOf(PoolBlock.GenerationOf(state), owner, PoolBlock.Owned);
        // [overwrite] a full fence: who still copies the block's last message and sees a byte of the next one sees this
        // word too
        if (!Atomic.TryExchange(&block->State, state, owned))
            return false;
        if (index >= _used[@class])
            NoteUse(@class, index);
        FaultPoints.Pass(FaultPoints.PoolTakeOwned);
        loan = LoanOf(@class, index, owned);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Loan LoanOf(int @class, uint index, ulong state) =>
        new(
            BytesOf(@class, index),
            Present(Block(@class, index), @class) * PoolHeader.Page,
            state,
            (ushort)@class,
            index);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint PagesFor(uint length) =>
        length == 0 ? 1 : (uint)((length + PoolHeader.Page - 1) / PoolHeader.Page);

    /// <summary>Cut to the block's size: the number is anybody's.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    // [present]
    private static uint Present(PoolBlock* block, int @class) =>
        Math.Min(Atomic.LoadAcquire(ref block->Present), 1U << @class);

    private static uint Claimed(PoolBlock* block, int @class) =>
        Math.Min(Atomic.LoadAcquire(ref block->Claimed), 1U << @class);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private PoolBlock* Block(int @class, uint index) =>
        (PoolBlock*)(_base + PoolHeader.TableOffset) + _firstBlocks[@class] + index;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong OffsetOf(int @class, uint index) =>
        _offset + _firstOffsets[@class] + index * PoolGeometry.BlockSize(@class);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* BytesOf(int @class, uint index) => _view.Base + OffsetOf(@class, index);

    private string NotABlock(in LoanDescriptor copy) =>
        $"a loan of block {copy.Index} of class {copy.Class}; the pool has {_geometry.Classes} classes of " +
        $"at most {PoolHeader.MaxBlocksOfClass} blocks, and {(HasTable ? "a" : "no")} block table";

    private static string NotPublished(uint generation, ulong state) =>
        $"a loan of generation {generation} of a block whose state is 0x{state:X16}; it must be published";

    private string LongerThanItsBlock(uint length, ulong present) =>
        $"a loan of {length} bytes in a block with {present} of a pool of {_geometry.Budget}";
}
