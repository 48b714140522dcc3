using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Frames that come for the calls, and how calls end.</content>
internal sealed partial class CallEngine
{
    /// <summary>Handles a frame of the callee. By whoever has the turn to read.</summary>
    /// <returns>What the callee did against the protocol; <see langword="null"/> if nothing.</returns>
    [MethodImpl(Tiering.Optimized)]
    public string? OnFrame(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        uint use = (uint)(header.Call >> 32);
        PendingSlot? slot = _table.Find(header.Call);
        if (slot is null)
            return null; // never a call of this side: dropped

        switch (header.Kind)
        {
            case FrameKind.Item:
                return slot.Peek(use)?.OnItem(in header, body);
            case FrameKind.Credit:
                return slot.Peek(use)?.OnCredit(header.Credit);
            case FrameKind.Progress:
                slot.Peek(use)?.OnProgress(body);
                return null;
            default:
                if (header.Kind == FrameKind.Error && header.IsUnhandled)
                    Link.Leave(); // before its caller looks for another connection
                if (TryEnd(slot, use, out PendingCall call))
                    return Complete(call, in header, body);
                RpcTelemetry.Dropped(atServer: _side != 0); // a late reply
                return null;
        }
    }

    /// <summary>Ends a call for a reason of this side, and tells the callee so, unless the call has ended
    /// already.</summary>
    public void EndCall(PendingCall call, PendingSlot slot, uint use, RpcFailure failure)
    {
        ulong callId = IdOf(slot, use);
        if (!TryEnd(slot, use, out PendingCall ended))
            return;

        System.Diagnostics.Debug.Assert(ReferenceEquals(call, ended), "a slot's use belongs to one call");
        // before its caller has it, and uses it again
        bool unheardOf = ended.Queued is { } queued && Link.TryUnqueue(queued);
        ended.OnFailure(failure);
        if (!unheardOf && Link.Ended is null)
            SendControl(FrameKind.Cancel, callId);
    }

    /// <summary>Ends a call whose deadline has passed, unless its reply may still be there (<see cref="Lateness"/>).
    /// Any thread.</summary>
    /// <returns><see langword="false"/> when it goes on: to be asked again at
    /// <see cref="Lateness.NextLook"/>.</returns>
    public bool EndIfOverdue(PendingCall call, PendingSlot slot, uint use)
    {
        if (!call.IsOverdue(Link))
        {
            SparedCalls++;
            return false;
        }

        EndCall(call, slot, use, RpcFailure.Deadline(call.Method));
        return true;
    }

    /// <summary>Ends the calls whose deadlines have passed, as far as they may be (<see cref="Lateness"/>).</summary>
    /// <returns>When to look again: at the earliest deadline that has not; the largest number if there is
    /// none.</returns>
    public ulong EndOverdueCalls()
    {
        ulong next = ulong.MaxValue;
        foreach (PendingSlot slot in _table.All)
        {
            if (!slot.IsPending(out uint use) || slot.Peek(use) is not { } call)
                continue;

            ulong deadline = call.Deadline;
            if (Deadline.FromNanoseconds(deadline).HasPassed)
            {
                if (EndIfOverdue(call, slot, use))
                    continue;
                deadline = Lateness.NextLook.Nanoseconds;
            }

            next = Math.Min(next, deadline);
        }

        AllLookedAt?.Invoke();
        return next;
    }

    /// <summary>Called by the timer when it has looked at all calls: for tests.</summary>
    internal Action? AllLookedAt { get; set; }

    /// <summary>How often an overdue call was not ended yet: for tests.</summary>
    internal int SparedCalls { get; private set; }

    /// <summary>How many calls are pending. It may have changed already.</summary>
    public int CountPending()
    {
        int count = 0;
        foreach (PendingSlot slot in _table.All)
            count += slot.IsPending(out _) ? 1 : 0;
        return count;
    }

    /// <summary>Ends every call: the link has said that it is over.</summary>
    public void EndAll(RpcFailure reason)
    {
        foreach (PendingSlot slot in _table.All)
        {
            if (slot.IsPending(out uint use) && TryEnd(slot, use, out PendingCall call))
                call.OnFailure(OfPending(reason, call));
        }

        _timer.Dispose();
    }

    /// <summary>What the end of the link is for a call that was pending on it. By who ended the call.</summary>
    private RpcFailure OfPending(RpcFailure end, PendingCall call)
    {
        bool isUnsent = call.Queued is { } queued
            ? Link.TryUnqueue(queued) || !queued.IsSent || queued.SentAt >= end.HandledTo
            : call.SentAt >= end.HandledTo;
        return isUnsent ? end.OfUnsent() : end;
    }

    /// <summary>What a call ends with that was not handled here, and is not made again elsewhere.</summary>
    public RpcFailure OfUnhandled() => Link.Ended?.OfUnsent() ?? RpcFailure.Unhandled(Link.Peer);

    /// <summary>Frames were left behind: tries again in a moment.</summary>
    public void RetrySoon() => _timer.RetrySoon();

    /// <summary>A request is held back that somebody may wait for: it is published in a moment, whatever becomes of the
    /// batch.</summary>
    public void PublishSoon()
    {
        if (Volatile.Read(ref _publishSoon) == 0 && Interlocked.Exchange(ref _publishSoon, 1) == 0) // [batch]
            _timer.FireSoon();
    }

    /// <summary>That moment is over.</summary>
    public void PublishIfDue()
    {
        if (Volatile.Read(ref _publishSoon) == 0 || Interlocked.Exchange(ref _publishSoon, 0) == 0) // [batch]
            return;
        Link.PublishHeld();
        Link.WakeReader();
    }

    /// <summary>Nothing is left behind any more.</summary>
    public void HasRoom() => _timer.HasRoom();

    [MethodImpl(Tiering.Optimized)]
    private string? Complete(PendingCall call, in FrameHeader header, ReadOnlySpan<byte> body)
    {
        if (CallHead.TryTake(in header, ref body, out CallHead? head) is { } wrong)
        {
            call.OnFailure(
                new RpcFailure(
                    RpcStatus.Internal, "The answer of " + call.Method.FullName + " could not be read: " + wrong));
            return null;
        }

        call.IsAnswered = true;
        call.AnswerMetadata = head?.Metadata;
        switch (header.Kind)
        {
            case FrameKind.Response:
                return call.OnResponse(body);
            case FrameKind.End:
                return call.OnEnd();
            default:
                call.OnFailure(FailureOf(in header, body));
                return null;
        }
    }

    /// <summary>Takes the right to complete a call; its slot is free again.</summary>
    [MethodImpl(Tiering.Optimized)]
    private bool TryEnd(PendingSlot slot, uint use, out PendingCall call)
    {
        if (!slot.TryEnd(use, out call))
            return false;

        call.EndAttendance(Link);
        return true;
    }

    private RpcFailure FailureOf(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        if (header.IsUnhandled)
            return RpcFailure.Unhandled(Link.Peer);
        ushort code = header.Code;
        ErrorBody error = ErrorBody.Decode(body);
        RpcStatus status = code is > 0 and <= (ushort)RpcStatus.Unauthenticated ? (RpcStatus)code : RpcStatus.Unknown;
        string text = error.Text.Length == 0 ? "The peer gave no reason." : error.Text;
        return new RpcFailure(
            status,
            text,
            error.Type.Length == 0 ? null : error.Type,
            null,
            error.Details)
        {
            IsAnswer = true,
            OnceRefusal = OnceRefusals.OfWire(header.Method),
        };
    }
}
