namespace Ipc;

/// <summary>What the process watch tells when a process that it watches for has ended.</summary>
internal interface IWatchedRegion
{
    /// <summary>Cleans up after the dead. False: another participant holds the region lock, ask again soon. Called on
    /// the watch thread.</summary>
    bool TryRecover();

    /// <summary>A participant that it had watched as that process is still there. Does not block: called under the lock
    /// of the watch.</summary>
    bool IsHeldBy(in ProcessIdentity process);
}
