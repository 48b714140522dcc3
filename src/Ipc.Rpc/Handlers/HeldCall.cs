namespace Ipc.Rpc;

/// <summary>A call whose request has been read and whose handler has not begun: it waits for its turn, or for a
/// thread.</summary>
internal abstract class HeldCall
{
    private protected HeldCall(ServerCall call) => Call = call;

    public ServerCall Call { get; }

    /// <summary>Runs the handler on this thread. Throws nothing.</summary>
    public abstract void Run();
}
