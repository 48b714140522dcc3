namespace Ipc.Crash.Tests;

/// <summary>What happens to the victim at its fault point.</summary>
public enum FaultAction
{
    /// <summary>SIGKILL: it is gone, and the others clean up.</summary>
    Kill,

    /// <summary>SIGSTOP: it is alive and keeps what it has; later it goes on as if nothing had been.</summary>
    Stop,
}
