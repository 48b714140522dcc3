using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Where calls go: the present connection of a client, or the one connection of a callback.</summary>
internal interface ICallRoute
{
    /// <summary>How many items of an answer's stream may wait here to be consumed.</summary>
    int StreamWindow { get; }

    /// <summary>The engine to call on; another one than <paramref name="stale"/>, which was found to be over.</summary>
    /// <exception cref="RpcCallException">There is none.</exception>
    CallEngine Get(CallEngine? stale, RpcMethod method, in CallRequest how);

    /// <summary>Waits for a connection after <paramref name="stale"/>, on which a call was not handled.</summary>
    /// <param name="stale">As above.</param>
    /// <param name="method">What is called.</param>
    /// <param name="how">What else the request says.</param>
    /// <param name="followed">How long the call may go on so; made when it does for the first time.</param>
    /// <exception cref="RpcCallException">There is none in time, or none is waited for. The call is
    /// unsent.</exception>
    void Follow(CallEngine stale, RpcMethod method, in CallRequest how, ref FollowedCall? followed);

    /// <summary>The same, if it is there; <see langword="null"/> where <see cref="Get"/> would have to connect first,
    /// or would throw.</summary>
    CallEngine? GetNow(CallEngine? stale);

    /// <summary>Leaves an asynchronous request to the connection that comes. Waits for nothing.</summary>
    /// <param name="stale">As above.</param>
    /// <param name="method">What is called.</param>
    /// <param name="codec">Writes the request.</param>
    /// <param name="request">The request.</param>
    /// <param name="call">Who waits for the answer; <see langword="null"/> if there is none.</param>
    /// <param name="how">What else the request says.</param>
    /// <param name="early">Where the request waits.</param>
    /// <returns><see langword="false"/> when there is a connection now.</returns>
    /// <exception cref="RpcCallException">There will be none, or too much waits for one already.</exception>
    bool TrySendEarly<TRequest>(
        CallEngine? stale,
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        PendingCall? call,
        in CallRequest how,
        out EarlyRequest? early);

    /// <summary>Completes when a one-way request that was left so has been sent.</summary>
    Task SentEarly(EarlyRequest early);
}
