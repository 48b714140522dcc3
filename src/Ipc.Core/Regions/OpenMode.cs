namespace Ipc;

/// <summary>What to do when the name exists, and when it does not.</summary>
public enum OpenMode
{
    /// <summary>Attaches to what is there, or creates it.</summary>
    OpenOrCreate = 0,
    /// <summary>Creates it; <see cref="IpcStatus.Exists"/> if there is one with a live participant.</summary>
    CreateNew = 1,
    /// <summary>Waits for a creator until the deadline; then <see cref="IpcStatus.NotFound"/>.</summary>
    OpenExisting = 2,
}
