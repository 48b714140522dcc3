namespace Ipc;

/// <summary>Some bytes of a region file.</summary>
internal readonly struct FileRange
{
    public FileRange(ulong offset, ulong size)
    {
        Offset = offset;
        Size = size;
    }

    public ulong Offset { get; }

    public ulong Size { get; }
}
