using System;

namespace Ipc.Tool;

/// <summary>Copies the message of a slot, and makes sure that it was one message.</summary>
internal static class SlotCopy
{
    /// <param name="look">The region.</param>
    /// <param name="offset">Of the slot.</param>
    /// <param name="slot">Its header, as it was read.</param>
    /// <param name="blockSize">Bytes behind the header.</param>
    /// <param name="pool">For long messages.</param>
    /// <param name="isSame">Whether a word that is read afterwards is of the same message.</param>
    /// <returns>Null: it was overwritten while it was copied, or makes no sense.</returns>
    public static byte[]? Take(RegionLook look, ulong offset, in SlotHeader slot, uint blockSize, PoolTap? pool, Func<ulong, bool> isSame, out bool isLoan)
    {
        isLoan = (slot.Flags & SlotHeader.LoanFlag) != 0;
        uint length = isLoan ? LoanDescriptor.ByteSize : slot.Length;
        if (length > blockSize && !isLoan)
            return null;
        byte[] payload = new byte[length];
        look.Read(offset + SlotHeader.ByteSize, payload, "a slot");
        byte[]? message = isLoan ? pool?.Read(payload) : payload;
        return isSame(look.U64(offset, "a slot")) ? message : null;
    }
}
