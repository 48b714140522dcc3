using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// What answers the calls of the other side of one connection: a client's calls on the server, callbacks on a client.
// Frames come from whoever reads the connection, one at a time: on the server the leader, which runs handlers itself,
// on a client a thread that waits for something else, and handlers run on threads of their own. Answers are sent by
// whoever has them.

/// <summary>The calls that the other side of a connection makes.</summary>
internal sealed partial class Callee
{
    private readonly Dictionary<ulong, ServerCall> _calls = new(); // those that frames may come for; its own lock
    private readonly Turnstile? _order;
    private ServerCall? _spare;
    private RpcCaller? _caller;
    private int _leaving; // [hand] handlers whose thread reads no more, and has not come back: they may be answering
    private bool _inHand; // [hand] whoever reads has a request, which runs there or is on its way into _calls
    private int _pending; // [count] of _calls: those whose last frame has not been sent, nor begun to be
    // = _calls.Count; whoever reads looks at it without the lock: a call that frames may come for was there before them
    private int _tracked; // [peek]
    private bool _closed; // under the lock

    public Callee(CalleeLink link, ServiceHost host)
    {
        Link = link;
        Host = host;
        _order = host.Rules.OrderedCalls ? new Turnstile(1) : null;
    }

    public CalleeLink Link { get; }

    public ServiceHost Host { get; }

    /// <summary>Calls the other side back, from a handler or from elsewhere.</summary>
    public RpcCaller Caller
        => _caller ??= _order is null && Host.Limit is null ? Link.Caller : new YieldingCaller(Link.Caller);

    /// <summary>Whether there are calls in hand that were not over at once, those among them whose answers are being
    /// sent.</summary>
    public bool HasCalls
    {
        get
        {
            if (Volatile.Read(ref _inHand)) // [hand] first: what leaves the hand for the list is in the list before
                return true;
            if (Volatile.Read(ref _leaving) != 0) // [hand] a call that has its answer cannot be tracked any more
                return true;
            if (PendingCount != 0)
                return true;
            lock (_calls)
                return _calls.Count != 0;
        }
    }

    /// <summary>Whether whoever reads has a request in hand. Once the host drains, and it was seen not to, no request
    /// is handled any more.</summary>
    public bool HasInHand => Volatile.Read(ref _inHand); // [hand]

    /// <summary>Calls in hand as their caller counts them: one that has its answer is over, whatever this side has
    /// still to do about it.</summary>
    public int PendingCount => Volatile.Read(ref _pending);

    /// <summary>A call for a request that was just read. By whoever reads.</summary>
    [MethodImpl(Tiering.Optimized)]
    public ServerCall Begin(RpcHandler handler, in FrameHeader header, CallHead? head, CallFormat format)
    {
        ServerCall call = Volatile.Read(ref _spare) ?? new ServerCall(this); // [spare]
        // nobody else takes it: one thread reads at a time. What is given back in between is left to the collector
        Volatile.Write(ref _spare, null); // [spare]
        call.Begin(handler, in header, head, format);
        return call;
    }

    /// <summary>Lets frames find the call, and its deadline end it: it is not over at once.</summary>
    /// <param name="call">Any number of times.</param>
    /// <param name="isStuck">Its handler keeps a thread, see <see cref="ComeBack"/>.</param>
    public void Track(ServerCall call, bool isStuck = false)
    {
        bool closed;
        lock (_calls)
        {
            if (!call.TryTrack())
                return;

            _calls[call.Header.Call] = call;
            Volatile.Write(ref _tracked, _calls.Count);
            Interlocked.Increment(ref _pending);
            call.IsStuck = isStuck;
            _stuck += isStuck ? 1 : 0;
            call.ArmDeadline();
            closed = _closed;
        }

        if (closed && !GoesOn(call))
            call.Cancel();
    }

    /// <summary>The request in hand is tracked, or has its answer, and another thread reads from here on.</summary>
    public void HandOver()
    {
        Interlocked.Increment(ref _leaving); // [hand] until its thread comes back: the answer may not be sent yet
        Volatile.Write(ref _inHand, false); // [hand]
    }

    /// <summary>Whether the handler may begin at once.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool TryPass(ServerCall call)
    {
        if (_order is null && Host.Limit is null)
            return true;

        call.Turns = new CallTurns(_order, Host.Limit);
        return call.Turns.TryPass();
    }

    /// <summary>A handler is about to run.</summary>
    /// <exception cref="Exception">It may not; this is its outcome.</exception>
    [MethodImpl(Tiering.Optimized)]
    public void Starting(ServerCall call)
    {
        // it may have waited for its turn, and nobody has to have asked for its token
        if (call.IsCancelled || (call.IsTracked && call.IsUnwanted))
            throw new OperationCanceledException(call.Token);
        if (Host.HasInterceptors)
            Host.Starting(call.Context);
        if (call.Once is { } once)
            StartOnce(call, once);
    }

    /// <summary>Answers with a response; the call is over.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Answer<T>(ServerCall call, MessageCodec<T> codec, in T value)
    {
        if (call.Once is not null)
        {
            AnswerOnce(call, codec, in value);
            return;
        }

        if (call.IsUnwanted)
        {
            FailUnwanted(call, null);
            return;
        }

        RpcFailure? failure = null;
        if (TryAnswer(call) && (failure = Link.Send(FrameKind.Response, call, codec, in value)) is not null)
        {
            Link.SendError(call, failure.Status, new ErrorBody(null, failure.Text));
            if (failure.Inner is { } cause)
                Host.Tell(call.Handler.Method, Link.Peer, failure.Status, cause, isOneWay: false);
        }

        Completed(call, failure?.Status ?? RpcStatus.Ok, null);
    }

    /// <summary>Ends a stream; the call is over.</summary>
    public void AnswerEnd(ServerCall call)
    {
        if (call.IsUnwanted)
        {
            FailUnwanted(call, null);
            return;
        }

        if (TryAnswer(call))
            Link.SendEnd(call);
        Completed(call, RpcStatus.Ok, null);
    }

    /// <summary>Answers with what the handler threw; the call is over.</summary>
    public void Fail(ServerCall call, Exception thrown)
    {
        Exception e = Host.HasInterceptors ? Host.Map(call.Context, thrown) : thrown;
        uint refusal = call.Once is null ? 0 : FailOnce(call, e);
        if (call.IsUnwanted)
        {
            FailUnwanted(call, thrown);
            return;
        }

        (RpcStatus status, ErrorBody error) = ErrorOf(e);
        if (TryAnswer(call))
            Link.SendError(call, status, error, refusal);
        Host.Tell(call.Handler.Method, Link.Peer, status, thrown, call.Header.IsOneWay);
        Completed(call, status, thrown);
    }

    /// <summary>Ends all calls: the connection is over.</summary>
    public void Close()
    {
        List<ServerCall> calls;
        lock (_calls)
        {
            _closed = true; // whoever adds a call from here on sees it
            calls = new List<ServerCall>(_calls.Values);
        }

        foreach (ServerCall call in calls)
        {
            if (!GoesOn(call))
                call.Cancel();
        }

        DropHeld();
    }

    /// <summary>A report of progress failed that nobody waits for.</summary>
    public void ProgressFailed(ServerCall call, RpcCallException e) =>
        Break(call, new RpcFailure(e.Status, e.Message, inner: e.InnerException));

    private static (RpcStatus Status, ErrorBody Error) ErrorOf(Exception e) => e switch
    {
        RpcCallException { Status: > RpcStatus.Ok and <= RpcStatus.Unauthenticated } chosen =>
            (chosen.Status, new ErrorBody(chosen.RemoteType, chosen.Message, chosen.Details)),
        _ => (RpcStatus.Unknown, new ErrorBody(e.GetType().FullName, ErrorText.Of(e))),
    };

    /// <summary>Takes the right to send the last frame: its caller may make another call for this one as soon as it has
    /// that.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool TryAnswer(ServerCall call)
    {
        if (!call.TryAnswer()) // [answer]
            return false;
        if (call.IsTracked) // and if it is not now, it never will be
            Interlocked.Decrement(ref _pending);
        return true;
    }

    /// <summary>Ends a call that nobody waits for any more, the same way whatever its handler made of that: what the
    /// caller gets must not depend on which of two threads was faster.</summary>
    private void FailUnwanted(ServerCall call, Exception? thrown)
    {
        bool late = call.IsOverdue;
        RpcStatus status = late ? RpcStatus.DeadlineExceeded : RpcStatus.Cancelled;
        if (TryAnswer(call))
        {
            string text =
                (late ? "The deadline of a call to " : "A call to ") + call.Handler.Method.FullName +
                    (late ? " passed." : " was cancelled.");
            Link.SendError(call, status, new ErrorBody(null, text));
        }

        if (thrown is not (null or OperationCanceledException))
            Host.Tell(call.Handler.Method, Link.Peer, status, thrown, call.Header.IsOneWay);
        Completed(call, status, thrown);
    }

    /// <summary>The one place that every handled call comes through when it is over.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void Completed(ServerCall call, RpcStatus status, Exception? exception)
    {
        if (status != RpcStatus.Ok && call.Header.IsOneWay)
            Host.CountFailedOneWay(
                call.Handler.Method, status, exception is null ? string.Empty : ErrorText.Of(exception));
        if (call.Span.IsOpen)
            EndSpan(call, status, exception);
        if (Host.HasInterceptors)
            Host.Completed(call.Context, status, exception);
        Finish(call);
    }

    private static void EndSpan(ServerCall call, RpcStatus status, Exception? exception)
    {
        CallSpan span = call.Span;
        call.Span = default; // the object may serve another call, which nobody listens to
        span.End(status, exception);
    }

    [MethodImpl(Tiering.Optimized)]
    private void Finish(ServerCall call)
    {
        CallTurns? turns = call.Turns;
        if (call.IsTracked)
        {
            lock (_calls)
                Forget(call);
            if (Volatile.Read(ref _held) != 0)
                Link.ReadOn();
            call.Incoming?.Over();
            call.Dispose();
        }
        else if (call.TryReset())
        {
            Volatile.Write(ref _spare, call); // [spare]
        }
        else
        {
            call.Dispose();
        }

        turns?.Leave();
    }

    /// <summary>Takes it from the table, where another one with its id may be by now. Under the lock.</summary>
    private void Forget(ServerCall call)
    {
        if (_calls.TryGetValue(call.Header.Call, out ServerCall? found) && ReferenceEquals(found, call))
            _calls.Remove(call.Header.Call);
        Volatile.Write(ref _tracked, _calls.Count);
    }
}
