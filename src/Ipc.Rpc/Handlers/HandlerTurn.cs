namespace Ipc.Rpc;

/// <summary>The thread that reads the connections is about to run a handler itself: while it is inside, another one may
/// take its place.</summary>
internal abstract class HandlerTurn
{
    public abstract void EnterHandler(ServerCall call);

    /// <summary>The handler has returned.</summary>
    /// <returns>Whether this thread still reads the connections.</returns>
    public abstract bool LeaveHandler();
}
