using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Sending along a route whose connections may turn out to be over.</summary>
internal static class CallRouting
{
    private const int MaxAttempts = 3;

    /// <summary>Sends a request and waits for its response.</summary>
    [MethodImpl(Tiering.Optimized)]
    public static TResponse Call<TRequest, TResponse>(
        this ICallRoute route,
        RpcMethod method,
        MessageCodec<TRequest> requests,
        MessageCodec<TResponse> responses,
        in TRequest request,
        in CallRequest how)
    {
        CallEngine? stale = null;
        FollowedCall? followed = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            CallEngine engine = route.Get(stale, method, in how);
            CallOutcome outcome = engine.TryCall(
                method, requests, responses, in request, in how, out TResponse response);
            if (outcome == CallOutcome.Answered)
                return response;
            stale = engine;
            if (outcome == CallOutcome.Unhandled)
            {
                route.Follow(engine, method, in how, ref followed);
                attempt = -1; // every server that it came too late for was there, and went in good order
            }
        }

        throw Over(stale, method, in how);
    }

    /// <summary>Sends the request of a stream or an asynchronous call, or leaves it to the connection that
    /// comes.</summary>
    /// <returns>Whether it was sent; if not, <see cref="PendingCall.StartSource"/> will be called when it is.</returns>
    [MethodImpl(Tiering.Optimized)]
    public static bool Send<TRequest>(
        this ICallRoute route,
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        PendingCall call,
        in CallRequest how)
    {
        CallEngine? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            CallEngine? engine = route.GetNow(stale);
            if (engine is null)
            {
                if (route.TrySendEarly(stale, method, codec, in request, call, in how, out _))
                    return false;
                continue;
            }

            if (engine.TrySend(method, codec, in request, call, in how))
                return true;
            stale = engine;
        }

        throw Over(stale, method, in how);
    }

    /// <summary>Sends a request that is not answered.</summary>
    /// <returns>Of an asynchronous one: completes when it has been sent; <see langword="null"/> when it has
    /// been.</returns>
    public static Task? Notify<TRequest>(
        this ICallRoute route,
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        in CallRequest how,
        bool isAsync)
    {
        CallEngine? stale = null;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            CallEngine? engine = isAsync ? route.GetNow(stale) : route.Get(stale, method, in how);
            if (engine is null)
            {
                if (route.TrySendEarly(stale, method, codec, in request, null, in how, out EarlyRequest? early))
                    return route.SentEarly(early!);
                continue;
            }

            if (engine.TryNotify(method, codec, in request, in how, isAsync, out Task? sent))
                return sent;
            stale = engine;
        }

        throw Over(stale, method, in how);
    }

    /// <summary>Connections come and go faster than a request can be sent.</summary>
    private static Exception Over(CallEngine? stale, RpcMethod method, in CallRequest how)
    {
        RpcFailure? failure = stale?.Link.Ended?.OfUnsent();
        if (failure is null && how.Cancel.IsCancellationRequested)
            failure = RpcFailure.Cancelled(method);
        else if (failure is null && how.Deadline.HasPassed)
            failure = RpcFailure.Deadline(method);
        failure ??= RpcFailure.OfConnection("The connections to the server end before a request can be sent.");
        return failure.ToException(how.Cancel, method, stale?.Link.Peer);
    }
}
