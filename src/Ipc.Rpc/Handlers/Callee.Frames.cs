using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <content>What the other side sends.</content>
internal sealed partial class Callee
{
    /// <summary>Handles a frame about a call of the other side: a request, or one for a call in hand.</summary>
    /// <param name="turn">Whose thread this is; <see langword="null"/> if handlers may not hold it up.</param>
    /// <param name="header">The frame's header.</param>
    /// <param name="body">What follows it.</param>
    /// <param name="leading">Whether the thread may still read: if not, it must not touch the reading side of any
    /// connection.</param>
    /// <returns>What is wrong with it: the connection cannot go on.</returns>
    [MethodImpl(Tiering.Optimized)]
    public string? OnFrame(HandlerTurn? turn, in FrameHeader header, ReadOnlySpan<byte> body, out bool leading)
    {
        leading = true;
        if (header.Kind == FrameKind.Request)
        {
            if (Host.IsDraining)
            {
                RefuseEnding(in header); // never in hand: who ends the server counts on it
                return null;
            }

            Volatile.Write(ref _inHand, true); // [hand]
            OneSidedFence.Frequent(); // [hand] who stops the server sees this, or we see that it stops
            leading = OnRequest(turn, in header, body);
            if (leading)
                Volatile.Write(ref _inHand, false); // [hand]
            else // it is whoever reads now that has one in hand, or none
                Interlocked.Decrement(ref _leaving); // [hand] perhaps before the other has counted it
            return null;
        }

        string? wrong = null;
        if (Find(header.Call) is { } call)
            wrong = OnFrame(call, in header, body);
        else
            Dropped();
        Link.ReleaseRequest();
        return wrong; // a frame for a call that is not pending is dropped
    }

    /// <summary>A request that no handler gets to see.</summary>
    public bool Refuse(in FrameHeader request, RpcStatus status, string text)
    {
        Link.ReleaseRequest();
        if (request.IsOneWay)
            Host.CountFailedOneWay(Host.Find(request.Method)?.Method, status, text);
        Link.Refuse(in request, status, text);
        return true;
    }

    /// <summary>A request that comes too late. Its caller may make it again elsewhere.</summary>
    private void RefuseEnding(in FrameHeader request)
    {
        const string Text = "The server is stopping and takes no further calls.";
        Link.NoteEnding(); // before it is released: whatever comes from here on is handled by nobody
        Link.ReleaseRequest();
        if (request.IsOneWay)
            Host.CountFailedOneWay(Host.Find(request.Method)?.Method, RpcStatus.Unavailable, Text);
        Link.Refuse(in request, RpcStatus.Unavailable, Text, FrameHeader.Unhandled);
    }

    [MethodImpl(Tiering.Optimized)]
    private string? OnFrame(ServerCall call, in FrameHeader header, ReadOnlySpan<byte> body)
    {
        switch (header.Kind)
        {
            case FrameKind.Cancel:
                call.Cancel();
                break;
            case FrameKind.Credit:
                if (call.Credit is { } credit && !credit.Give(header.Credit))
                    return "A credit frame gives " + header.Method + " items and " + header.Deadline +
                        " bytes, beyond what can be counted.";
                break;
            case FrameKind.Item:
                RpcFailure? failure = call.Incoming is { } items
                    ? items.OnItem(in header, body)
                    : new RpcFailure(
                        RpcStatus.ResourceExhausted,
                        "An item came for a call to " + call.Handler.Method.FullName + ", whose caller sends none.");
                if (failure is not null)
                    Break(call, failure);
                break;
            case FrameKind.End:
                call.Incoming?.OnEnd();
                break;
            default:
                break;
        }

        return null;
    }

    [MethodImpl(Tiering.Optimized)]
    private bool OnRequest(HandlerTurn? turn, in FrameHeader header, ReadOnlySpan<byte> body)
    {
        if (Host.IsDraining) // [hand]
        {
            RefuseEnding(in header);
            return true;
        }

        if (Find(header.Call) is { IsAnswered: false } twin)
        {
            var failure = new RpcFailure(
                RpcStatus.InvalidArgument,
                "A request has the id of a call that is pending: " + header.Call + ". Both have been ended.");
            if (Break(twin, failure) && !twin.Header.IsOneWay)
            {
                Link.ReleaseRequest();
                return true; // the one error has ended both
            }

            return Refuse(in header, failure.Status, failure.Text);
        }

        if (CallHead.TryTake(in header, ref body, out CallHead? head) is { } wrong)
            return Refuse(in header, RpcStatus.InvalidArgument, wrong);
        if (Host.Find(header.Method) is not { } handler)
            return Refuse(in header, RpcStatus.Unimplemented, Host.DescribeUnknown(header.Method));
        if (PendingCount >= Host.Rules.MaxPendingCalls)
        {
            return Refuse(
                in header,
                RpcStatus.ResourceExhausted,
                "This connection has " + Host.Rules.MaxPendingCalls + " calls pending (" +
                    Host.Rules.PendingCallsOption + ").");
        }

        if (Host.Formats.Find(header.Flags, head?.Format) is not { } format)
            return Refuse(
                in header, RpcStatus.Unimplemented, Host.Formats.Refusal(handler.Method, header.Flags, head?.Format));
        return handler.Handle(turn, this, in header, head, format, body);
    }

    private static void Dropped()
    {
        try
        {
            RpcTelemetry.Dropped(atServer: true);
        }
#pragma warning disable CA1031 // a listener's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a frame was dropped", null, e);
        }
    }

    [MethodImpl(Tiering.Optimized)]
    private ServerCall? Find(ulong call)
    {
        if (Volatile.Read(ref _tracked) == 0)
            return null;

        lock (_calls)
            return _calls.TryGetValue(call, out ServerCall? found) ? found : null;
    }

    /// <summary>Ends a call whose caller broke its rules: it gets the error, its handler's token fires.</summary>
    /// <returns>Whether this ended it, and not its handler a moment before.</returns>
    private bool Break(ServerCall call, RpcFailure failure)
    {
        bool mine = TryAnswer(call); // [answer]
        if (mine)
        {
            call.Incoming?.Fail(new RpcCallException(failure.Status, failure.Text));
            Link.SendError(call, failure.Status, new ErrorBody(null, failure.Text));
            if (failure.Inner is { } cause)
                Host.Tell(call.Handler.Method, Link.Peer, failure.Status, cause, call.Header.IsOneWay);
            lock (_calls)
                Forget(call);
        }

        call.Cancel();
        return mine;
    }
}
