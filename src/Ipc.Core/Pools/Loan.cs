using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>A block of a pool in the hands of its owner (taken, not published yet) or of its reader
/// (resolved).</summary>
internal readonly unsafe struct Loan
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Loan(byte* bytes, ulong capacity, ulong state, ushort @class, uint index)
    {
        Bytes = bytes;
        Capacity = capacity;
        State = state;
        Class = @class;
        Index = index;
    }

    /// <summary>Null: no loan.</summary>
    public byte* Bytes { get; }

    /// <summary>Bytes that have memory behind them.</summary>
    public ulong Capacity { get; }

    /// <summary>The block's state word while this loan is good.</summary>
    public ulong State { get; }

    public ushort Class { get; }
    public uint Index { get; }
    public uint Generation => PoolBlock.GenerationOf(State);

    public LoanDescriptor Describe(uint length) =>
        new() { Class = Class, Index = Index, Generation = Generation, Length = length };
}
