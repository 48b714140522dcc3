namespace Ipc.Rpc;

/// <summary>Where calls go: the present connection of a client, or the one connection of a callback.</summary>
internal interface ICallRoute
{
    /// <summary>How many items of an answer's stream may wait here to be consumed.</summary>
    int StreamWindow { get; }

    /// <summary>The engine to call on; another one than <paramref name="stale"/>, which was found to be over.</summary>
    /// <exception cref="RpcException">There is none.</exception>
    CallEngine Get(CallEngine? stale, RpcMethod method, in CallRequest how);
}
