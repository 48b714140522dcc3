namespace Ipc.Tool;

/// <summary>What became of what has a region's name.</summary>
internal enum RegionState
{
    /// <summary>Somebody who lives uses it.</summary>
    Live,

    /// <summary>Nobody does, and it is persistent, or messages wait in it: it waits for the next one.</summary>
    Idle,

    /// <summary>Nobody does, or will: a crash left it. <c>clean</c> removes it.</summary>
    LeftOver,

    /// <summary>It has ended, and who ended it was killed before the name was gone. <c>clean</c> removes it.</summary>
    Retired,

    /// <summary>A region whose bytes are not as they must be.</summary>
    Damaged,

    /// <summary>A region of a version that this tool does not read.</summary>
    OtherVersion,

    /// <summary>A file that a creator has not given its name yet, or left.</summary>
    Temporary,

    /// <summary>Not a region.</summary>
    Foreign,

    /// <summary>It could not be looked at.</summary>
    Unreadable,
}
