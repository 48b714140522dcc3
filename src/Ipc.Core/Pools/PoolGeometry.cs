using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Where the parts of a pool are. All of it follows from the budget; docs/wire-format.md section 11.</summary>
/// <remarks>Offsets are from the pool's start. Class <i>k</i> has blocks of <c>4096 &lt;&lt; k</c> bytes.</remarks>
internal readonly struct PoolGeometry
{
    /// <summary>A pool takes ten times its budget of addresses, of which a process of 32 bits has few.</summary>
    public static readonly long DefaultBudget = IntPtr.Size == 4 ? 8L << 20 : 256L << 20;

    /// <summary>What a listener lets a client have.</summary>
    public static readonly long DefaultMostBudget = IntPtr.Size == 4 ? 8L << 20 : 1L << 30;

    public PoolGeometry(ulong budget)
    {
        Budget = budget;
        Classes = 1;
        while (BlockSize(Classes - 1) < budget)
            Classes++;
        Blocks = 0;
        for (int @class = 0; @class < Classes; @class++)
            Blocks += Count(@class);
        Reserved =
            PoolHeader.TableOffset +
                (((ulong)Blocks * PoolBlock.ByteSize + PoolHeader.Page - 1) & ~(PoolHeader.Page - 1));
        Size = Reserved;
        for (int @class = 0; @class < Classes; @class++)
            Size += Count(@class) * BlockSize(@class);
    }

    /// <summary>Bytes that may be present at one time.</summary>
    public ulong Budget { get; }

    public int Classes { get; }

    /// <summary>Of all classes together.</summary>
    public uint Blocks { get; }

    /// <summary>Header and table: present from creation, but for the table in a connection.</summary>
    public ulong Reserved { get; }

    /// <summary>Everything, holes included.</summary>
    public ulong Size { get; }

    public static bool IsBudget(ulong budget) =>
        budget is >= PoolHeader.MinBudget and <= PoolHeader.MaxBudget && budget % PoolHeader.Page == 0;

    /// <summary>A budget as asked for by a caller, rounded up to pages; 0: no pool.</summary>
    public static ulong CheckRequested(long budget)
    {
        if (budget < 0 || (ulong)budget > PoolHeader.MaxBudget)
        {
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"A loan budget is at most {PoolHeader.MaxBudget} bytes, not {budget}.");
        }

        return ((ulong)budget + PoolHeader.Page - 1) & ~(PoolHeader.Page - 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong BlockSize(int @class) => PoolHeader.Page << @class;

    public uint Count(int @class) => (uint)Math.Min(PoolHeader.MaxBlocksOfClass, Math.Max(1, Budget >> (12 + @class)));

    /// <summary>The row of the class's first block, counted over all classes.</summary>
    public uint FirstBlock(int @class)
    {
        uint first = 0;
        for (int before = 0; before < @class; before++)
            first += Count(before);
        return first;
    }

    /// <summary>Where the class's first block is.</summary>
    public ulong FirstOffset(int @class)
    {
        ulong offset = Reserved;
        for (int before = 0; before < @class; before++)
            offset += Count(before) * BlockSize(before);
        return offset;
    }

    /// <summary>The smallest class whose blocks hold that many bytes.</summary>
    public static int ClassFor(ulong length)
    {
        int @class = 0;
        while (BlockSize(@class) < length)
            @class++;
        return @class;
    }
}
