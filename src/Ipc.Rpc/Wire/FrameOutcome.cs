namespace Ipc.Rpc;

/// <summary>What became of a frame.</summary>
internal enum FrameOutcome
{
    /// <summary>It is in the ring, to be published.</summary>
    InRing,

    /// <summary>The ring is full; the frame is in <see cref="FrameBuilder.Spilled"/>.</summary>
    Full,

    /// <summary>It is larger than a record can be; <see cref="FrameBuilder.Length"/> says how large.</summary>
    TooLarge,
}
