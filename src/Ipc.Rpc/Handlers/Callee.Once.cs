using System;
using System.Threading;

namespace Ipc.Rpc;

// A call that is executed once is not its connection's: when that has gone, the handler goes on, and its caller comes
// for the outcome on another connection. So the outcome is recorded first, and then sent to whoever is there.

/// <content>Calls that are executed once.</content>
internal sealed partial class Callee
{
    private const int FirstBuffer = 256;

    /// <summary>A request that is neither executed nor answered from memory.</summary>
    public bool RefuseOnce(in FrameHeader request, RpcOnceRefusal refusal, RpcOnceId id)
    {
        Link.ReleaseRequest();
        Link.Refuse(
            in request,
            OnceRefusals.StatusOf(refusal),
            OnceRefusals.TextOf(refusal, " (" + id + ", made at " + id.Created.ToString("O") + ")"),
            OnceRefusals.ToWire(refusal));
        return true;
    }

    /// <summary>Another server has the name, and who stops this one has not been told of it yet: from here on nothing
    /// is handled.</summary>
    public bool RefuseFollowed(in FrameHeader request)
    {
        Host.Drain();
        RefuseEnding(in request);
        return true;
    }

    /// <summary>A request of a call that another request has begun: it gets the same outcome. Throws nothing.</summary>
    /// <remarks>Interceptors are asked as for the first one: who may not call may not learn the outcome.</remarks>
    public void Repeat(ServerCall call, OnceEntry entry)
    {
        try
        {
            if (Host.HasInterceptors)
                Host.Starting(call.Context);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Fail(call, e);
            return;
        }

        Track(call);
        CancellationToken unwanted = call.Token; // before another thread may answer it
        if (Host.Once!.Join(entry, call) is { } outcome)
        {
            AnswerRepeat(call, outcome);
            return;
        }

        try
        {
            // who repeats it over and over, and goes each time, must not leave something behind each time
            _ = unwanted.Register(
                static state =>
                {
                    (Callee callee, ServerCall call, OnceEntry entry) = ((Callee, ServerCall, OnceEntry))state!;
                    if (callee.Host.Once!.TryPart(entry, call))
                        callee.FailUnwanted(call, null);
                },
                (this, call, entry));
        }
        catch (ObjectDisposedException)
        {
            // it was answered meanwhile
        }
    }

    /// <summary>Answers a repeat; the call is over. Throws nothing.</summary>
    public void AnswerRepeat(ServerCall call, OnceOutcome outcome)
    {
        if (call.IsUnwanted)
            FailUnwanted(call, null);
        else
            Send(call, outcome, null);
    }

    /// <summary>Its handler is about to run.</summary>
    /// <exception cref="Exception">It may not.</exception>
    private void StartOnce(ServerCall call, OnceEntry entry)
    {
        call.Keep(); // the memory fires its token when the server ends
        if (!Host.Once!.TryStart(entry, call))
            throw new OperationCanceledException("The call was given up before its handler began.");
    }

    /// <summary>Whether a call goes on although its connection has gone: its handler has begun.</summary>
    private bool GoesOn(ServerCall call)
        => call.Once is { } entry && !Host.IsDraining && !Host.Once!.TryAbandon(entry);

    private void AbandonOnce(ServerCall call, OnceEntry entry)
    {
        call.Once = null;
        Host.Once!.TryAbandon(entry);
    }

    /// <summary>Records a response, and answers with it; the call is over.</summary>
    private void AnswerOnce<T>(ServerCall call, MessageCodec<T> codec, in T value)
    {
        Exception? failure = null;
        OnceOutcome outcome;
        try
        {
            outcome = OnceOutcome.OfResponse(Encoded(call.CodecFor(codec), in value));
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
            string text = "What " + call.Handler.Method.FullName + " returned cannot be encoded: " + ErrorText.Of(e);
            outcome = OnceOutcome.OfError(RpcStatus.Internal, new ErrorBody(null, text));
            Host.Tell(call.Handler.Method, Link.Peer, RpcStatus.Internal, e, isOneWay: false);
        }

        EndOnce(call, outcome);
        if (call.IsUnwanted)
            FailUnwanted(call, null);
        else
            Send(call, outcome, failure);
    }

    /// <summary>Records what the handler threw, if it has begun.</summary>
    /// <returns>What the frame of the error says besides.</returns>
    private uint FailOnce(ServerCall call, Exception e)
    {
        OnceEntry entry = call.Once!;
        if (entry.Now != OnceEntry.Stage.Running) // by this thread, or never
        {
            AbandonOnce(call, entry);
            return e is RpcCallException refused ? OnceRefusals.ToWire(refused.OnceRefusal) : 0;
        }

        (RpcStatus status, ErrorBody error) = ErrorOf(e);
        if (e is OperationCanceledException && call.IsUnwanted)
        {
            status = call.IsOverdue ? RpcStatus.DeadlineExceeded : RpcStatus.Cancelled;
            error = new ErrorBody(
                null,
                "A call to " + call.Handler.Method.FullName +
                    " was given up by its handler: its first caller had cancelled it, its deadline had passed, or " +
                    "the server stopped.");
        }

        EndOnce(call, OnceOutcome.OfError(status, in error));
        return 0;
    }

    private void EndOnce(ServerCall call, OnceOutcome outcome)
    {
        OnceEntry entry = call.Once!;
        call.Once = null;
        Host.Once!.End(entry, outcome);
    }

    private void Send(ServerCall call, OnceOutcome outcome, Exception? thrown)
    {
        RpcStatus status = outcome.Status;
        if (TryAnswer(call))
        {
            if (status != RpcStatus.Ok)
            {
                Link.SendError(
                    call, status, ErrorBody.Decode(outcome.Body.Span), OnceRefusals.ToWire(outcome.Refusal));
            }
            else if (Link.SendEncoded(call, outcome.Body) is { } failure)
            {
                status = failure.Status;
                Link.SendError(call, status, new ErrorBody(null, failure.Text));
            }
        }

        Completed(call, status, thrown);
    }

    private static ReadOnlySpan<byte> Encoded<T>(MessageCodec<T> codec, in T value)
    {
        var target = new GrowingBuffer(FirstBuffer);
        var writer = new ProtoWriter(target.Bytes, target);
        codec.Write(ref writer, in value);
        return target.Bytes.AsSpan(0, writer.Written);
    }
}
