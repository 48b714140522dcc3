using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <content>Requests that find no room: nobody who starts a call waits for a callee that does not read, unless that is what its thread is for.</content>
internal sealed partial class CallEngine
{
    private bool TryNotify<TRequest>(
        RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, in CallRequest how, bool waits, bool isAwaited, out QueuedFrame? queued)
    {
        queued = null;
        byte[]? head = how.Setup.ComposeHead();
        Link.EnterWrite(method, waits, how.Deadline, how.Cancel);
        try
        {
            if (Link.Ended is not null || !Link.CheckPeer())
                return false;

            ulong number = _oneWay++;
            ulong callId = ((number >> 31) << 32) | OneWayNumbers | (uint)(number & (OneWayNumbers - 1));
            try
            {
                if (Encode(method, codec, in request, Header(callId, method, in how, head), head, in how) || !TryQueue(method, waits, isAwaited, out queued))
                    Publish();
            }
            finally
            {
                Link.Builder.Abandon(); // nothing, once it has been published
            }

            // [ended] As for a call; who clears the queue may have been before us.
            if (queued is not null && Link.Ended is not null)
                Link.TryUnqueue(queued);
            return true;
        }
        finally
        {
            Link.ExitWrite();
        }
    }

    /// <summary>Leaves a frame that was built and found no room to the link. Under the write lock.</summary>
    /// <param name="method">What is called.</param>
    /// <param name="mayExceed">Whether its thread waits with it, so that it counts for nothing.</param>
    /// <param name="isAwaited">Whether somebody awaits it.</param>
    /// <param name="queued">Where it waits, if it can be taken back.</param>
    /// <returns><see langword="false"/> when it is in the ring after all, to be published.</returns>
    private bool TryQueue(RpcMethod method, bool mayExceed, bool isAwaited, out QueuedFrame? queued)
    {
        try
        {
            return !Link.MakeRoom(method, mayExceed, isAwaited, out queued);
        }
        catch (CorruptRegionException e)
        {
            throw Link.Broken(e).ToException(CancellationToken.None, method, Link.Peer);
        }
    }

    private async Task SentAsync(RpcMethod method, QueuedFrame queued, CallRequest how)
    {
        using var timeout = new CancellationTokenSource();
        if (how.Deadline.Nanoseconds != ulong.MaxValue)
            timeout.CancelAfter(CallTimer.PauseUntil(how.Deadline));
        using (how.Cancel.Register(static state => ((QueuedFrame)state!).Tell(), queued, useSynchronizationContext: false))
        using (timeout.Token.Register(static state => ((QueuedFrame)state!).Tell(), queued, useSynchronizationContext: false))
            await queued.Left.ConfigureAwait(false);
        ThrowUnlessSent(method, queued, in how);
    }

    /// <summary>Its wait is over: it was sent, or it is taken back and will not be.</summary>
    private void ThrowUnlessSent(RpcMethod method, QueuedFrame queued, in CallRequest how)
    {
        Link.TryUnqueue(queued);
        if (queued.IsSent)
            return;

        RpcFailure failure = Link.Ended
            ?? (how.Cancel.IsCancellationRequested ? RpcFailure.Cancelled(method) : RpcFailure.Deadline(method));
        throw failure.ToException(how.Cancel, method, Link.Peer);
    }
}
