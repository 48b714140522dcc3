namespace FileCopy;

/// <summary>What the two programs agree on, the same in C++: message n of a sender is the n-th chunk of its file.</summary>
internal static class Chunk
{
    public const int Size = 16 << 10;

    /// <summary>The types of the messages.</summary>
    public const ushort Middle = 1, Last = 2, Receipt = 3;
}
