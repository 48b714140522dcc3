namespace Ipc.Native;

/// <summary>Whether opening a region may make it.</summary>
public enum NativeOpenMode
{
    /// <summary>The one that is there, or a new one.</summary>
    OpenOrCreate = 0,

    /// <summary>A new one; an error if there is one with a live participant.</summary>
    Create = 1,

    /// <summary>The one that is there; waits for a creator until the deadline.</summary>
    Open = 2,
}
