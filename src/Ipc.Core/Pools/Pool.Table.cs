using System;

namespace Ipc;

/// <summary>Memory behind the block table. In a connection it comes when the first block is taken: most connections
/// never send what is too long for a ring.</summary>
internal sealed unsafe partial class Pool
{
    private bool _hasTable = true; // false: a hole, until this sender, the only one, takes its first block

    /// <summary>There is memory behind the block table. It is looked at by nobody before.</summary>
    private bool HasTable => Atomic.LoadAcquire(ref Header->TableMissing) == 0; // [present]

    /// <summary>The table of this new pool, of a connection, is a hole.</summary>
    public void LeaveTable()
    {
        Header->TableMissing = 1;
        FindTable();
    }

    /// <summary>Of a connection: the table may be a hole still. In other regions there is memory behind it.</summary>
    public void FindTable()
    {
        _hasTable = HasTable;
        if (_hasTable)
            return;
        Array.Clear(_held, 0, _held.Length); // nobody has taken anything
        _holds = false;
    }

    /// <summary>Makes memory for the block table, before the first block is taken by the only one who takes
    /// any.</summary>
    private bool TryMakeTable()
    {
        ulong from = _offset + PoolHeader.TableOffset;
        if (!Os.Current.Populate(_file, _view.Base, from, _geometry.Reserved - PoolHeader.TableOffset))
            return false;
        FaultPoints.Pass(FaultPoints.PoolTablePresent);
        Atomic.StoreRelease(ref Header->TableMissing, 0); // [present]
        _hasTable = true;
        return true;
    }
}
