using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// Calls that one side of a connection makes, from request to end; the other half of a connection, which answers calls,
// knows nothing of it. A client's channel has one engine. A server's connection has one for callbacks: the same with
// the flag "callback" on every frame.
//
// The engine owns the table of pending calls and says when a call has ended; the link owns the rings, the write lock
// and the reading. A call that is being added while the link ends is either seen by the sweep or sees the end itself
// [ended].

/// <summary>The calls made on one connection by this side.</summary>
#pragma warning disable CA1001 // EndAll disposes the timer, and is what its link calls
internal sealed partial class CallEngine
#pragma warning restore CA1001
{
    private const uint OneWayNumbers = 0x8000_0000; // call ids that no slot has

    private readonly PendingTable _table;
    private readonly CallTimer _timer;
    private readonly byte _side;
    private ulong _oneWay; // the write lock's
    private int _publishSoon;

    /// <param name="link">The connection.</param>
    /// <param name="side"><see cref="FrameFlags.Callback"/> for a server's calls, 0 for a client's.</param>
    /// <param name="maxPending">How many calls may be pending.</param>
    public CallEngine(RpcLink link, byte side, int maxPending)
    {
        Link = link;
        _side = side;
        _table = new PendingTable(maxPending);
        _timer = new CallTimer(this);
    }

    public RpcLink Link { get; }

    /// <summary>Calls and waits for the response.</summary>
    [MethodImpl(Tiering.Optimized)]
    public CallOutcome TryCall<TRequest, TResponse>(
        RpcMethod method,
        MessageCodec<TRequest> requests,
        MessageCodec<TResponse> responses,
        in TRequest request,
        in CallRequest how,
        out TResponse response)
    {
        SyncCall<TResponse> call = SyncCall<TResponse>.Rent(method, responses, how.Deadline.Nanoseconds);
        try
        {
            if (!TrySend(method, requests, in request, call, in how))
            {
                response = default!;
                return CallOutcome.Unsent;
            }

            RpcBatch.BeforeWait(Link);
            if (call.Queued is { IsWaiting: true } queued)
                Link.WaitUntilSent(queued, how.Deadline, how.Cancel);
            Link.Wait(call, how.Deadline, how.Cancel);
            if (call.IsUnhandled)
            {
                response = default!;
                return CallOutcome.Unhandled;
            }

            how.Setup.Tell(call);
            response = call.GetResult(Link, how.Cancel);
            return CallOutcome.Answered;
        }
        finally
        {
            if (!call.TryGiveBack()) // an exception ended the wait: Thread.Interrupt, for one
                EndCall(call, call.Slot, call.Use, RpcFailure.Cancelled(method));
        }
    }

    /// <summary>Sends a request, or leaves it to the link, which sends it when there is room.</summary>
    /// <returns><see langword="false"/> when the connection was found to be over and nothing was sent.</returns>
    /// <exception cref="RpcCallException">Among others: so much waits to be sent already that an asynchronous call may
    /// not wait behind it.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TrySend<TRequest>(
        RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, PendingCall call, in CallRequest how)
    {
        byte[]? head = how.Setup.ComposeHead();
        PendingSlot slot;
        uint use;
        bool isGone = false;
        Link.EnterWrite(method, call.HasThread, how.Deadline, how.Cancel);
        try
        {
            if (Link.Ended is not null || (isGone = !Link.CheckPeer()))
                return false;

            slot = _table.Take(call) ?? throw new RpcCallException(RpcStatus.ResourceExhausted, TooMany(method));
            use = call.Use;
            bool open = false;
            try
            {
                QueuedFrame? queued = null;
                bool publish = Encode(
                    method, codec, in request, Header(slot.CallId, method, in how, head), head, in how)
                    || !TryQueue(method, call.HasThread || how.Setup.MayExceed, isAwaited: false, out queued);
                call.Queued = queued;
                call.SentAt = Link.Builder.Position;
                call.OnSending(this);
                slot.Open();
                open = true;
                if (publish)
                    Publish();
            }
            finally
            {
                Link.Builder.Abandon(); // nothing, once it has been published
                if (!open)
                    slot.Undo();
            }
        }
        finally
        {
            Link.ExitWrite();
            if (isGone)
                Link.EndGone(call.HasThread ? how.Deadline : Deadline.Now, how.Cancel);
        }

        // [ended] Giving back the lock was a full fence: either the sweep saw this call, or we see that it is over.
        if (Link.Ended is { } failure && TryEnd(slot, use, out PendingCall missed))
            missed.OnFailure(OfPending(failure, missed));
        if (call.NeedsTimer)
            _timer.Schedule(how.Deadline.Nanoseconds);
        return true;
    }

    /// <summary>Sends a request that is not answered, or leaves it to the link.</summary>
    /// <param name="method">What is called.</param>
    /// <param name="codec">Writes the request.</param>
    /// <param name="request">The request.</param>
    /// <param name="how">What else the request says.</param>
    /// <param name="isAsync">Whether the calling thread goes on at once, wherever the request is.</param>
    /// <param name="sent">Of an asynchronous one: completes when it has been sent; <see langword="null"/> when it has
    /// been.</param>
    /// <returns><see langword="false"/> when the connection was found to be over and nothing was sent.</returns>
    public bool TryNotify<TRequest>(
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        in CallRequest how,
        bool isAsync,
        out Task? sent)
    {
        sent = null;
        bool waits = !isAsync && !Link.IsReadHere;
        if (!TryNotify(method, codec, in request, in how, waits, isAwaited: isAsync, out QueuedFrame? queued))
            return false;

        if (queued is not null && isAsync)
        {
            sent = SentAsync(method, queued, how);
        }
        else if (queued is not null && waits)
        {
            try
            {
                Link.WaitUntilSent(queued, how.Deadline, how.Cancel);
            }
            finally
            {
                Link.TryUnqueue(queued); // no effect when it was sent
            }

            ThrowUnlessSent(method, queued, in how);
        }

        return true;
    }

    /// <summary>Sends an item of a call's own stream, which has credit, if there is room for it.</summary>
    public ItemOutcome TrySendItem<TItem>(
        PendingCall call,
        PendingSlot slot,
        uint use,
        MessageCodec<TItem> codec,
        in TItem item,
        StreamCredit credit,
        CancellationToken cancellationToken)
    {
        if (Link.IsEncodingHere || (Link.HasQueued && Link.Ended is null))
            return ItemOutcome.NoRoom;

        var how = new CallRequest(CallSetup.Default, Deadline.FromNanoseconds(call.Deadline), cancellationToken);
        Link.EnterWrite(call.Method, mayWait: false, how.Deadline, cancellationToken);
        try
        {
            if (Link.Ended is not null || !slot.IsPending(out uint present) || present != use)
                return ItemOutcome.Over;
            if (Link.HasQueued || !Link.Transit.HasRoomNow)
                return ItemOutcome.NoRoom;

            bool done = false;
            try
            {
                var header = new FrameHeader(
                    FrameKind.Item, IdOf(slot, use), credit.HasWaited ? FlowRules.Waited : (ushort)0, flags: _side);
                if (!Encode(call.Method, codec, in item, header, null, in how))
                {
                    Link.Builder.Trim();
                    return ItemOutcome.NoRoom;
                }

                int length = Link.Builder.Length;
                Link.Transit.Sending(length);
                credit.Charge(FlowRules.CostOf(length));
                Publish();
                done = true;
                return ItemOutcome.Sent;
            }
            finally
            {
                if (!done)
                    Link.Builder.Abandon();
            }
        }
        finally
        {
            Link.ExitWrite();
        }
    }

    /// <summary>Sends a frame about a call that has no message.</summary>
    public void SendControl(FrameKind kind, ulong callId) =>
        Link.SendControl(new FrameHeader(kind, callId, flags: _side));

    /// <summary>Lets the callee send so much more of its stream.</summary>
    public void SendCredit(ulong callId, ItemCredit more) => Link.SendControl(more.FrameFor(callId, _side));

    private static ulong IdOf(PendingSlot slot, uint use) => ((ulong)use << 32) | slot.Number;

    [MethodImpl(Tiering.Optimized)]
    private FrameHeader Header(ulong callId, RpcMethod method, in CallRequest how, byte[]? head)
        => new(
            FrameKind.Request,
            callId,
            how.Credit,
            method.RequestId,
            how.WireDeadline,
            (byte)(how.Flags | how.Setup.Format.Flags | _side | (head is null ? 0 : FrameFlags.Head)));

    /// <summary>Builds a frame with a message. The caller has the write lock, and abandons the frame if this
    /// throws.</summary>
    /// <returns>Whether it is to be published; if not, there is no room for it now.</returns>
    [MethodImpl(Tiering.Optimized)]
    private bool Encode<T>(
        RpcMethod method, MessageCodec<T> codec, in T message, FrameHeader header, byte[]? head, in CallRequest how)
    {
        FrameBuilder builder = Link.Builder;
        try
        {
            Span<byte> body = builder.Begin(in header, method.Id + (uint)header.Kind, head, Link.MayGoIntoRing());
            var writer = new ProtoWriter(body, builder);
            Write(method, codec, ref writer, in message, header.Kind);
            switch (builder.End(writer.Written))
            {
                case FrameOutcome.InRing:
                    return true;
                case FrameOutcome.Full:
                    return false;
                default:
                    int length = builder.Length;
                    builder.Trim();
                    throw new RpcCallException(RpcStatus.ResourceExhausted, TooLong(header.Kind, method, length));
            }
        }
        catch (CorruptRegionException e)
        {
            throw Link.Broken(e).ToException(how.Cancel, method, Link.Peer);
        }
    }

    [MethodImpl(Tiering.Optimized)]
    private static void Write<T>(
        RpcMethod method, MessageCodec<T> codec, ref ProtoWriter writer, in T message, FrameKind kind)
    {
        try
        {
            codec.Write(ref writer, in message);
        }
        catch (RpcCallException e)
        {
            e.IsOfCaller = true; // a getter may have made a call, of another server, that failed
            throw;
        }
#pragma warning disable CA1031 // whatever a codec or a property throws is this call's failure
        catch (Exception e) when (e is not (CorruptRegionException or IpcException))
#pragma warning restore CA1031
        {
            throw new RpcCallException(
                RpcStatus.InvalidArgument,
                null,
                "The " + NameOf(kind) + " for " + method.FullName + " cannot be encoded: " + ErrorText.Of(e),
                e,
                null,
                method,
                null);
        }
    }

    private string TooMany(RpcMethod method)
        => "A call to " + method.FullName + " would be one more than the " + _table.All.Length +
            " that may be pending (RpcClientOptions.MaxPendingCalls).";

    private string TooLong(FrameKind kind, RpcMethod method, int length)
        => "The " + NameOf(kind) + " for " + method.FullName + " takes " + length + " bytes; the connection to " +
            Link.Peer + " carries at most " + Link.Builder.MaxFrame
            + ". Nothing was sent. Connect with a larger RpcClientOptions.LoanBudget.";

    private static string NameOf(FrameKind kind) => kind == FrameKind.Item ? "item" : "request";

    [MethodImpl(Tiering.Optimized)]
    private void Publish()
    {
        if (RpcBatch.TryHold(Link))
            Link.Builder.PublishLater();
        else
            Link.Builder.Publish();
    }
}
