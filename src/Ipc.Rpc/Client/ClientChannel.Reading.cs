using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading: waiting for one's own reply, and completing whatever comes.</content>
internal sealed partial class ClientChannel
{
    private const int SpinsForOther = 200;
    private const int FramesBetweenLooks = 16;
    private const int MostFramesAtOnce = 256; // where a thread has something of its own to do

    private bool _isReaderAway; // [hint] stored by whoever has the turn

    /// <summary>How many frames came for calls of this side. Changed by whoever has the turn.</summary>
    public int Replies { get; private set; }

    [MethodImpl(Tiering.Optimized)]
    public override void Wait(SyncCall call, Deadline deadline, CancellationToken cancellationToken)
    {
        if (IsReadInlineHere)
        {
            Engine.EndCall(call, call.Slot, call.Use, new RpcFailure(
                RpcStatus.FailedPrecondition,
                "An inline handler is on the thread that reads, and cannot wait for the answer of " +
                    call.Method.FullName + "."));
        }

        while (!call.IsDone)
        {
            if (!_turn.TryTake() && !WaitForOther(call, deadline, cancellationToken))
                continue;

            try
            {
                ReadUntilDone(call, deadline, cancellationToken);
            }
            finally
            {
                LeaveTurn();
            }
        }
    }

    /// <summary>Waits while another thread reads.</summary>
    /// <returns>Whether the turn is ours now.</returns>
    private bool WaitForOther(SyncCall call, Deadline deadline, CancellationToken cancellationToken)
    {
        int spins = _waitMode == WaitMode.Block || Processors.IsSpinningUseless ? 0 : SpinsForOther;
        for (int i = 0; i < spins && !call.IsDone; i++)
        {
            if (_turn.TryTake())
                return true;
            Thread.SpinWait(20);
        }

        if (_turn.IsMine)
        {
            string text = "A call to " + call.Method.FullName +
                " was made by the thread that reads the connection, in a handler marked inline: its reply could not " +
                "be read.";
            Engine.EndCall(call, call.Slot, call.Use, new RpcFailure(RpcStatus.FailedPrecondition, text));
            return false;
        }

        Parker parker = call.Parker;
        using CancellationTokenRegistration registration = cancellationToken.CanBeCanceled
            ? CleanRegistration.Make(static state => ((Parker)state!).Signal(), parker, cancellationToken)
            : default;
        _turn.Enlist(parker, background: false);
        try
        {
            call.Park();
            while (!call.IsDone)
            {
                if (_turn.TryTake())
                    return true;
                if (cancellationToken.IsCancellationRequested)
                    Engine.EndCall(call, call.Slot, call.Use, RpcFailure.Cancelled(call.Method));
                else if (!deadline.HasPassed)
                    parker.Wait(deadline);
                else if (!Engine.EndIfOverdue(call, call.Slot, call.Use))
                    parker.Wait(Lateness.NextLook);
            }

            return false;
        }
        finally
        {
            _turn.Delist(parker);
        }
    }

    [MethodImpl(Tiering.Optimized)]
    private void ReadUntilDone(SyncCall call, Deadline deadline, CancellationToken cancellationToken)
    {
        for (int frames = 1; !call.IsDone; frames++)
        {
            switch (ReadOne(deadline, cancellationToken))
            {
                case IpcStatus.Ok:
                    if (frames % FramesBetweenLooks == 0 && !call.IsDone)
                        LookUp(call, deadline, cancellationToken);
                    break;
                case IpcStatus.Timeout:
                    Engine.EndCall(call, call.Slot, call.Use, RpcFailure.Deadline(call.Method));
                    return;
                case IpcStatus.Cancelled:
                    Engine.EndCall(call, call.Slot, call.Use, RpcFailure.Cancelled(call.Method));
                    return;
                default:
                    return; // over: every call has been ended
            }
        }
    }

    /// <summary>Frames of others may come without end, so that the ring is never found empty: looks whether the call is
    /// over all the same. Its reply may be among what has come (<see cref="Lateness"/>).</summary>
    private void LookUp(SyncCall call, Deadline deadline, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            Engine.EndCall(call, call.Slot, call.Use, RpcFailure.Cancelled(call.Method));
        else if (deadline.HasPassed)
            Engine.EndIfOverdue(call, call.Slot, call.Use);
    }

    /// <summary>Waits for one frame and handles it. The caller has the turn.</summary>
    /// <returns>Ok, Timeout or Cancelled; with anything else the channel has ended.</returns>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus ReadOne(Deadline deadline, CancellationToken cancellationToken)
    {
        IpcStatus status;
        try
        {
            status = _replies.Read(out RingRecord record, deadline, cancellationToken);
            if (status == IpcStatus.Ok)
            {
                try
                {
                    HandleClean(in record);
                }
                finally
                {
                    _replies.Release(); // whatever happens: no frame is handled twice
                }

                if (_requests.HasAny)
                    FlushControl(); // the server does something: there may be room
                return IpcStatus.Ok;
            }
        }
        catch (CorruptRegionException e)
        {
            End(Corrupted(e));
            return IpcStatus.Corrupt;
        }

        if (status != IpcStatus.Timeout && status != IpcStatus.Cancelled)
            End(ReasonOf(status));
        return status;
    }

    public override void ReadWhatIsThere()
    {
        if (!_turn.TryTake())
            return;

        try
        {
            for (int frames = 0; frames < MostFramesAtOnce && _ended is null; frames++)
            {
                if (ReadOne(Deadline.Now, CancellationToken.None) != IpcStatus.Ok)
                    break;
            }
        }
        finally
        {
            LeaveTurn();
        }
    }

    /// <summary>Gives the turn back; the last one out frees the mapping.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void LeaveTurn()
    {
        _turn.GiveBack();
        if (_turn.IsOver) // [freed]
            Free();
    }

    /// <summary>Handles a frame, which may be anybody's, without what the thread that happens to read has
    /// set.</summary>
    [MethodImpl(Tiering.Optimized)]
    private void HandleClean(in RingRecord record)
    {
        OuterContext outer = CleanContext.Enter();
        try
        {
            Handle(in record);
        }
        finally
        {
            CleanContext.Leave(in outer);
        }
    }

    [MethodImpl(Tiering.Optimized)]
    private void Handle(in RingRecord record)
    {
        ReadOnlySpan<byte> frame = record.Payload;
        Volatile.Write(ref _received, _received + frame.Length);
        string? wrong = FrameHeader.TryRead(record.Type, frame, fromClient: false, out FrameHeader header);
        wrong ??= Handle(in header, frame.Slice(FrameHeader.Size));
        if (wrong is null)
            return;

        _connection.Shutdown(CloseCode.Protocol, wrong);
        End(
            new RpcFailure(
                RpcStatus.DataLoss,
                "What " + Peer + " wrote is not the protocol, and the connection was closed. " + wrong));
    }

    [MethodImpl(Tiering.Optimized)]
    private string? Handle(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        switch (header.Kind)
        {
            case FrameKind.Ping:
                SendControl(new FrameHeader(FrameKind.Pong, header.Call), body.ToArray());
                return null;
            case FrameKind.Pong:
                return null;
            case FrameKind.Read:
                return Transit.OnRead(header.Method, header.Deadline);
            default:
                if (header.IsCallback || header.Kind is FrameKind.Item or FrameKind.Progress)
                    return HandleAway(in header, body);
                Replies++;
                return Engine.OnFrame(in header, body);
        }
    }

    /// <summary>Handles what may run code of the user here: a handler, a report of progress, a codec.</summary>
    [MethodImpl(Tiering.Optimized)]
    private string? HandleAway(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        Volatile.Write(ref _isReaderAway, true);
        try
        {
            if (header.Kind == FrameKind.Item && Transit.OnItem(FrameHeader.Size + body.Length, out FrameHeader report))
                SendControl(report);
            if (header.IsCallback)
                return _callee is null ? RefuseCallback(in header) : _callee.OnFrame(null, in header, body, out _);
            Replies++;
            return Engine.OnFrame(in header, body);
        }
        finally
        {
            Volatile.Write(ref _isReaderAway, false);
        }
    }

    /// <summary>The server calls: there is nothing here to be called.</summary>
    private string? RefuseCallback(in FrameHeader header)
    {
        if (header.Kind == FrameKind.Request && !header.IsOneWay)
        {
            byte[] body = new ErrorBody(
                null,
                "The client offers no services to call back " +
                "(RpcClientOptions.Services).").Encode(_builder.MaxFrame - FrameHeader.Size);
            SendControl(
                new FrameHeader(
                    FrameKind.Error, header.Call, (ushort)RpcStatus.Unimplemented, flags: FrameFlags.Callback),
                body);
        }

        return null;
    }
}
