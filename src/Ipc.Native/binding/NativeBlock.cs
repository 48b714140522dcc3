using System;

namespace Ipc.Native;

/// <summary>A block of shared memory that is claimed or received: <c>ipc_block</c>. It belongs to whoever has it until it is committed,
/// abandoned or released; a copy of this structure is the same block and not another.</summary>
public unsafe struct NativeBlock
{
    internal BlockData Data;

    /// <summary>The bytes, in shared memory; a hostile peer can change them: read once, check, use.</summary>
    public readonly Span<byte> Payload => new(Data.Payload, checked((int)Data.Length));

    /// <summary>What the sender said it is.</summary>
    public readonly int Type => Data.Type;

    /// <summary>Received before by a process that died without releasing it.</summary>
    public readonly bool Redelivered => Data.Redelivered != 0;
}
