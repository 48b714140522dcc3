using System;
using System.Threading.Tasks;

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
        => _engine.Link.Ended is { } ended
            ? throw ended.OfUnsent().ToException(how.Cancel, method, _engine.Link.Peer)
            : _engine;

    /// <summary>There is no other connection: the call ends as what it is, one that nobody has handled.</summary>
    public void Follow(CallEngine stale, RpcMethod method, in CallRequest how, ref FollowedCall? followed) =>
        throw stale.OfUnhandled().ToException(how.Cancel, method, stale.Link.Peer);

    public CallEngine? GetNow(CallEngine? stale) => _engine.Link.Ended is null ? _engine : null;

    public bool TrySendEarly<TRequest>(
        CallEngine? stale,
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        PendingCall? call,
        in CallRequest how,
        out EarlyRequest? early)
    {
        early = null;
        Get(stale, method, in how); // throws, for there will be no other connection
        return false;
    }

    public Task SentEarly(EarlyRequest early) =>
        throw new NotSupportedException("Nothing waits for another connection.");
}
