using System;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>How a reader waits for its ring. One wait at a time; <see cref="Cancel"/> and <see cref="Close"/> are for
/// any thread.</summary>
internal abstract class Readiness
{
    /// <summary>The ring is this reader's to look at. False: a listener watches it, and nothing is there until it says
    /// so.</summary>
    public abstract bool MayLook { get; }

    /// <summary>Before a wait: from here on <see cref="Cancel"/> ends it, also when it has not begun. What was to be
    /// seen of earlier ones is to be looked at after this.</summary>
    public abstract void Prepare();

    /// <summary>Completes when it is worth looking again: something is there, or has ended, or
    /// <see cref="Cancel"/>.</summary>
    /// <returns>False: nothing will ever come, for a reason that the connection knows.</returns>
    /// <exception cref="IpcException">PeerDied; Corrupt.</exception>
    public abstract ValueTask<bool> WaitAsync();

    /// <summary>The same, holding the thread.</summary>
    public abstract bool Wait();

    /// <summary>Ends the wait that is pending, or does nothing.</summary>
    public abstract void Cancel();

    /// <summary>The pipe is disposed: a pending wait ends.</summary>
    public abstract void Close();
}
