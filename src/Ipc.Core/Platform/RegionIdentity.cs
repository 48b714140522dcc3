namespace Ipc;

/// <summary>What a region and its file are known by to others, also when the file is closed.</summary>
internal sealed class RegionIdentity
{
    public RegionIdentity(ulong device, ulong inode, ulong inodeHigh = 0, string directory = "")
    {
        Device = device;
        Inode = inode;
        InodeHigh = inodeHigh;
        Directory = directory;
    }

    public ulong Device { get; }

    public ulong Inode { get; }

    /// <summary>The other half, where a system's are 128 bits long.</summary>
    public ulong InodeHigh { get; }

    /// <summary>Where it is, for a system that has to look after a file that has lost its name.</summary>
    public string Directory { get; }

    /// <summary>The region's id, once it is known.</summary>
    public ulong IdLow { get; private set; }

    /// <summary>Its other half.</summary>
    public ulong IdHigh { get; private set; }

    public void Identify(ulong low, ulong high)
    {
        IdLow = low;
        IdHigh = high;
    }
}
