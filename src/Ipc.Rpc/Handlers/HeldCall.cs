namespace Ipc.Rpc;

/// <summary>A call whose request has been read and whose handler has not begun: it waits for its turn, or for a
/// thread.</summary>
internal abstract class HeldCall
{
    private readonly int _bytes;

    /// <param name="call">The call.</param>
    /// <param name="bytes">What its connection lets it keep (<see cref="Callee.TryKeep"/>).</param>
    private protected HeldCall(ServerCall call, int bytes)
    {
        Call = call;
        _bytes = bytes;
    }

    public ServerCall Call { get; }

    /// <summary>Runs the handler on this thread. Throws nothing.</summary>
    public void Run()
    {
        Call.Callee.LetGo(_bytes);
        Start();
    }

    private protected abstract void Start();
}
