namespace Ipc;

/// <summary>What to do when the name exists, and when it does not.</summary>
public enum OpenMode
{
    /// <summary>Opens an existing one, or creates it.</summary>
    OpenOrCreate = 0,
    /// <summary>Creates it; <see cref="IpcStatus.Exists"/> if one is in use, persistent, or holds messages.</summary>
    CreateNew = 1,
    /// <summary>Opens an existing one; waits for it until the deadline, then
    /// <see cref="IpcStatus.NotFound"/>.</summary>
    OpenExisting = 2,
}
