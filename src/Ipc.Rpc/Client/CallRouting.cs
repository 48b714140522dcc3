using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Sending along a route whose connections may turn out to be over.</summary>
internal static class CallRouting
{
    private const int MaxAttempts = 3;

    /// <summary>Sends a request and waits for its response.</summary>
    public static TResponse Call<TRequest, TResponse>(
        this ICallRoute route, RpcMethod method, MessageCodec<TRequest> requests, MessageCodec<TResponse> responses, in TRequest request, in CallRequest how)
    {
        CallEngine? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            CallEngine engine = route.Get(stale, method, in how);
            if (engine.TryCall(method, requests, responses, in request, in how, out TResponse response))
                return response;
            stale = engine;
        }

        throw stale!.Link.Ended!.ToException(how.Cancel, method, stale.Link.Peer);
    }

    /// <summary>Sends the request of a stream or an asynchronous call.</summary>
    public static void Send<TRequest>(
        this ICallRoute route, RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, PendingCall call, in CallRequest how)
    {
        CallEngine? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            CallEngine engine = route.Get(stale, method, in how);
            if (engine.TrySend(method, codec, in request, call, in how))
                return;
            stale = engine;
        }

        throw stale!.Link.Ended!.ToException(how.Cancel, method, stale.Link.Peer);
    }

    /// <summary>Sends a request that is not answered.</summary>
    /// <returns>Of an asynchronous one: completes when it has been sent; <see langword="null"/> when it has been.</returns>
    public static Task? Notify<TRequest>(this ICallRoute route, RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, in CallRequest how, bool isAsync)
    {
        CallEngine? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            CallEngine engine = route.Get(stale, method, in how);
            if (engine.TryNotify(method, codec, in request, in how, isAsync, out Task? sent))
                return sent;
            stale = engine;
        }

        throw stale!.Link.Ended!.ToException(how.Cancel, method, stale.Link.Peer);
    }
}
