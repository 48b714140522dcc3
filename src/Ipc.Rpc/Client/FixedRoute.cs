namespace Ipc.Rpc;

/// <summary>Calls on one connection, for as long as it lives.</summary>
internal sealed class FixedRoute : ICallRoute
{
    private readonly CallEngine _engine;

    public FixedRoute(CallEngine engine, int streamWindow)
    {
        _engine = engine;
        StreamWindow = streamWindow;
    }

    public int StreamWindow { get; }

    public CallEngine Get(CallEngine? stale, RpcMethod method, in CallRequest how)
        => _engine.Link.Ended is { } ended ? throw ended.ToException(how.Cancel, method, _engine.Link.Peer) : _engine;
}
