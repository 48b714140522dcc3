using System;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>Reads long messages out of a pool.</summary>
internal sealed class PoolTap
{
    private readonly RegionLook _look;
    private readonly ulong _offset;
    private readonly PoolGeometry _geometry;

    public PoolTap(RegionLook look, ulong offset)
    {
        _look = look;
        _offset = offset;
        _geometry = PoolInspector.CheckGeometry(look, offset, look.Read<PoolHeader>(offset, "a pool"));
    }

    /// <summary>The message of a descriptor; null when its block has gone on to another, or the descriptor is none.</summary>
    public byte[]? Read(ReadOnlySpan<byte> descriptor)
    {
        if (descriptor.Length < LoanDescriptor.ByteSize)
            return null;
        var loan = MemoryMarshal.Read<LoanDescriptor>(descriptor);
        if (loan.Class >= _geometry.Classes || loan.Index >= _geometry.Count(loan.Class) || loan.Length > PoolGeometry.BlockSize(loan.Class) || loan.Length > int.MaxValue)
            return null;
        if (!IsPublished(loan))
            return null;
        byte[] payload = new byte[loan.Length];
        _look.Read(_offset + _geometry.FirstOffset(loan.Class) + loan.Index * PoolGeometry.BlockSize(loan.Class), payload, "a block of a pool");
        return IsPublished(loan) ? payload : null;
    }

    private bool IsPublished(in LoanDescriptor loan)
    {
        ulong block = _offset + PoolHeader.TableOffset + (_geometry.FirstBlock(loan.Class) + (ulong)loan.Index) * PoolBlock.ByteSize;
        return _look.U64(block, "a block") == PoolBlock.StateOf(loan.Generation, 0, PoolBlock.Published);
    }
}
