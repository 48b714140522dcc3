using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <content>Requests that find no room: nobody who starts a call waits for a callee that does not read, unless that is
/// what its thread is for.</content>
internal sealed partial class CallEngine
{
    private bool TryNotify<TRequest>(
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        in CallRequest how,
        bool waits,
        bool isAwaited,
        out QueuedFrame? queued)
    {
        queued = null;
        byte[]? head = how.Setup.ComposeHead();
        bool isGone = false;
        Link.EnterWrite(method, waits, how.Deadline, how.Cancel);
        try
        {
            if (Link.Ended is not null || (isGone = !Link.CheckPeer()))
                return false;

            ulong callId = NextOneWay();
            try
            {
                if (Encode(method, codec, in request, Header(callId, method, in how, head), head, in how) ||
                    !TryQueue(method, waits || how.Setup.MayExceed, isAwaited, out queued))
                {
                    Publish();
                }
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
            if (isGone)
                Link.EndGone(isAwaited ? Deadline.Now : how.Deadline, how.Cancel);
        }
    }

    /// <summary>Leaves a frame that was built and found no room to the link. Under the write lock.</summary>
    /// <param name="method">What is called.</param>
    /// <param name="mayExceed">Whether its thread waits with it, or it was accepted before, so that it may be more than
    /// is allowed.</param>
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

    /// <summary>Writes a request that has to wait for a connection. Its header is missing.</summary>
    public static byte[] EncodeAside<TRequest>(
        RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, byte[]? head)
    {
        const int FirstGuess = 256;
        int start = FrameHeader.Size + (head?.Length ?? 0);
        var target = new GrowingBuffer(FirstGuess);
        var writer = new ProtoWriter(target.Bytes, target);
        Write(method, codec, ref writer, in request, FrameKind.Request);
        var frame = new byte[start + writer.Written];
        head?.CopyTo(frame, FrameHeader.Size);
        target.Bytes.AsSpan(0, writer.Written).CopyTo(frame.AsSpan(start));
        return frame;
    }

    /// <summary>Takes over a request that was made before there was this connection: it waits for its turn in
    /// <paramref name="queue"/>. Under the write lock of a link on which nobody calls yet.</summary>
    /// <returns>Why it cannot be sent; <see langword="null"/> if it can.</returns>
    public RpcFailure? Take(EarlyRequest early, RequestQueue queue)
    {
        RpcMethod method = early.Method;
        if (early.Frame.Length > Link.Builder.MaxFrame)
            return new RpcFailure(RpcStatus.ResourceExhausted, TooLong(FrameKind.Request, method, early.Frame.Length));

        CallRequest how = early.How;
        PendingSlot? slot = null;
        if (early.Call is { } call && (slot = _table.Take(call)) is null)
            return new RpcFailure(RpcStatus.ResourceExhausted, TooMany(method));

        Header(slot?.CallId ?? NextOneWay(), method, in how, early.Head).WriteTo(early.Frame);
        var queued = new QueuedFrame(early.Frame, isAwaited: slot is null);
        queue.Add(queued, mayExceed: true); // it was counted where it was before
        early.Queued = queued;
        early.Taken = this;
        if (slot is null)
            return null;

        call = early.Call!;
        early.Slot = slot;
        early.Use = call.Use;
        call.Queued = queued;
        call.OnSending(this);
        call.TryAttend(Link); // its caller may wait already
        slot.Open();
        Interlocked.MemoryBarrier(); // [deadline]
        if (call.NeedsTimer)
            _timer.Schedule(how.Deadline.Nanoseconds);
        return null;
    }

    /// <summary>What was taken over has been sent, or waits for room; unless the link ended before it could see it
    /// [ended].</summary>
    public void EndMissed(EarlyRequest early)
    {
        if (Link.Ended is not { } failure)
            return;
        Link.TryUnqueue(early.Queued!);
        if (early.Slot is { } slot && TryEnd(slot, early.Use, out PendingCall missed))
            missed.OnFailure(OfPending(failure, missed));
    }

    private ulong NextOneWay()
    {
        ulong number = _oneWay++;
        return ((number >> 31) << 32) | OneWayNumbers | (uint)(number & (OneWayNumbers - 1));
    }

    /// <summary>Completes when a one-way request has left the queue for the ring.</summary>
    public async Task SentAsync(RpcMethod method, QueuedFrame queued, CallRequest how)
    {
        using var timeout = new DeadlineSource(how.Deadline);
        using (how.Cancel.Register(
            static state => ((QueuedFrame)state!).Tell(), queued, useSynchronizationContext: false))
        using (timeout.Token.Register(
            static state => ((QueuedFrame)state!).Tell(), queued, useSynchronizationContext: false))
        {
            await queued.Left.ConfigureAwait(false);
        }

        ThrowUnlessSent(method, queued, in how);
    }

    /// <summary>Its wait is over: it was sent, or it is taken back and will not be.</summary>
    private void ThrowUnlessSent(RpcMethod method, QueuedFrame queued, in CallRequest how)
    {
        Link.TryUnqueue(queued);
        if (queued.IsSent)
            return;

        RpcFailure failure = Link.Ended?.OfUnsent()
            ?? (how.Cancel.IsCancellationRequested ? RpcFailure.Cancelled(method) : RpcFailure.Deadline(method));
        throw failure.ToException(how.Cancel, method, Link.Peer);
    }
}
