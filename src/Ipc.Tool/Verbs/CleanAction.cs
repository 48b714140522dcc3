namespace Ipc.Tool;

/// <summary>What clean did with a file.</summary>
internal enum CleanAction
{
    Removed,
    WouldRemove,
    Left,
    Failed,
}
