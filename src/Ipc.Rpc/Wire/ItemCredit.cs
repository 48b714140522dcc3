namespace Ipc.Rpc;

/// <summary>How much more of a stream may be sent.</summary>
internal readonly struct ItemCredit
{
    public ItemCredit(uint items, ulong bytes)
    {
        Items = items;
        Bytes = bytes;
    }

    public uint Items { get; }

    public ulong Bytes { get; }

    public bool IsNothing => Items == 0 && Bytes == 0;

    /// <summary>The frame that gives it.</summary>
    public FrameHeader FrameFor(ulong call, byte flags) =>
        new(FrameKind.Credit, call, method: Items, deadline: Bytes, flags: flags);
}
