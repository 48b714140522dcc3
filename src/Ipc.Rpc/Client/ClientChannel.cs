using System;
using System.Threading;

namespace Ipc.Rpc;

// One connection to a server, from connect to its end; a client that reconnects makes a new one.
//
// Two rights exist: to write (a lock) and to read (ReadTurn). A request is encoded under the first straight into the ring. A
// synchronous caller then takes the second and reads until its own reply has come, completing whatever other calls it meets.
// Asynchronous calls and streams have a background reader, which takes the turn only while such calls are pending.
//
// The end. Whatever notices first that the connection is over (a reader, a writer, Dispose) sets _ended once, closes this side
// and ends all pending calls. A call that is being added meanwhile is either seen by that sweep or sees _ended itself [ended].
// The mapping is freed by the last one who could touch it: that takes both rights, for good.

/// <summary>The client's side of one connection.</summary>
#pragma warning disable CA1001 // End disposes the timer and the connection, and is what its owner calls
internal sealed partial class ClientChannel
#pragma warning restore CA1001
{
    private const int FullRetryMilliseconds = 1;
    private const int LockSlice = 50;

    private readonly object _write = new();
    private readonly ReadTurn _turn = new();
    private readonly Connection _connection;
    private readonly RingWriter _ring;
    private readonly RingReader _replies;
    private readonly FrameBuilder _builder;
    private readonly CallFormat _format;
    private readonly PendingTable _table;
    private readonly ControlQueue _control = new();
    private readonly BackgroundReader _background;
    private readonly CallTimer _timer;
    private readonly WaitMode _waitMode;
    private readonly string _name;
    private RpcFailure? _ended;

    public ClientChannel(string name, Connection connection, RpcClientOptions options, CallFormat format)
    {
        _format = format;
        _name = name;
        _connection = connection;
        _ring = connection.Writer;
        _replies = connection.Reader;
        _builder = new FrameBuilder(_ring);
        _table = new PendingTable(options.MaxPendingCalls);
        _waitMode = options.WaitMode;
        _background = new BackgroundReader(this, _turn, options.WaitMode);
        _timer = new CallTimer(this);
        ServerProcessId = connection.PeerProcessId;
    }

    public int ServerProcessId { get; }

    /// <summary>Why it is over; <see langword="null"/> while it is not known to be.</summary>
    public RpcFailure? Ended => Volatile.Read(ref _ended);

    /// <summary>Calls and waits for the response.</summary>
    /// <returns><see langword="false"/> when the connection was found to be over and nothing was sent.</returns>
    public bool TryCall<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, Deadline deadline, CancellationToken cancel, out TResponse response)
    {
        SyncCall<TResponse> call = SyncCall<TResponse>.Rent(method, _format.CodecFor(method.Response), deadline.Nanoseconds);
        try
        {
            if (!TrySend(method, _format.CodecFor(method.Request), in request, call, 0, deadline, cancel))
            {
                response = default!;
                return false;
            }

            Wait(call, deadline, cancel);
            response = call.GetResult(cancel);
            return true;
        }
        finally
        {
            call.GiveBack();
        }
    }

    /// <summary>Sends a request for a call that somebody else reads the reply of.</summary>
    /// <returns><see langword="false"/> when the connection was found to be over and nothing was sent.</returns>
    public bool TrySendAwaited<TRequest>(
        RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, PendingCall call, ushort credit, Deadline deadline, CancellationToken cancel)
    {
        _background.Add();
        bool sent = false;
        try
        {
            sent = TrySend(method, codec, in request, call, credit, deadline, cancel);
        }
        finally
        {
            if (!sent)
                _background.Remove();
        }

        if (sent)
        {
            _background.Wake();
            if (call.Deadline != ulong.MaxValue)
                _timer.Schedule(call.Deadline);
        }

        return sent;
    }

    /// <summary>Sends a frame without a message, now or, when the ring is full or being written to, as soon as possible.</summary>
    public void SendControl(FrameHeader header, byte[]? body = null)
    {
        _control.Add(new ControlFrame(header, body));
        FlushControl();
    }

    /// <summary>Ends a call for a reason of this side, and tells the server so, unless the call has ended already.</summary>
    public void EndCall(PendingCall call, PendingSlot slot, uint use, RpcFailure failure)
    {
        ulong callId = ((ulong)use << 32) | (uint)slot.CallId;
        if (!TryEnd(slot, use, out PendingCall ended))
            return;

        System.Diagnostics.Debug.Assert(ReferenceEquals(call, ended), "a slot's use belongs to one call");
        ended.OnFailure(failure);
        if (Ended is null)
            SendControl(new FrameHeader(FrameKind.Cancel, callId));
    }

    private bool TrySend<TRequest>(
        RpcMethod method, MessageCodec<TRequest> codec, in TRequest request, PendingCall call, ushort credit, Deadline deadline, CancellationToken cancel)
    {
        EnterWrite(method, deadline, cancel);
        try
        {
            if (_ended is not null)
                return false;
            if (!_connection.IsOpen)
            {
                End(ReasonOfPeer());
                return false;
            }

            PendingSlot slot = _table.Take(call) ?? throw new RpcException(
                RpcStatus.ResourceExhausted, "A call to " + method.FullName + " would be one more than the " + _table.All.Length + " that may be pending (RpcClientOptions.MaxPendingCalls).");
            bool open = false;
            try
            {
                ulong wire = call.Deadline == ulong.MaxValue ? 0 : Math.Max(1, call.Deadline); // 0 is none
                Span<byte> body = _builder.Begin(new FrameHeader(FrameKind.Request, slot.CallId, credit, method.Id, wire, _format.RequestFlags), method.Id, _format.Head);
                var writer = new ProtoWriter(body, _builder);
                codec.Write(ref writer, in request);

                FrameOutcome outcome = _builder.End(writer.Written);
                if (outcome != FrameOutcome.InRing)
                    ClaimForSpilled(outcome, method, deadline, cancel);

                call.OnSending(this);
                slot.Open();
                open = true;
                _builder.Publish();
            }
            catch (CorruptRegionException e)
            {
                End(Corrupted(e));
                throw Ended!.ToException(cancel);
            }
            catch (ProtoException e)
            {
                throw new RpcException(RpcStatus.InvalidArgument, "The request for " + method.FullName + " cannot be encoded: " + e.Message, e);
            }
            finally
            {
                if (!open)
                {
                    _builder.Abandon();
                    _table.Undo(slot);
                }
            }

            // [ended] Opening was a full fence: either the sweep saw this call, or we see that it is over.
            if (Ended is { } failure && TryEnd(slot, call.Use, out PendingCall missed))
                missed.OnFailure(failure);
            return true;
        }
        finally
        {
            ExitWrite();
        }
    }

    /// <summary>Waits until a frame that is not in the ring has room there, reading meanwhile if nobody else does: the server
    /// may itself be waiting for room to answer.</summary>
    private void ClaimForSpilled(FrameOutcome outcome, RpcMethod method, Deadline deadline, CancellationToken cancel)
    {
        int length = _builder.Length;
        if (outcome == FrameOutcome.TooLarge)
        {
            _builder.Trim();
            throw new RpcException(
                RpcStatus.ResourceExhausted,
                "The request for " + method.FullName + " takes " + length + " bytes; the connection to the server carries at most " + _builder.MaxFrame
                + ". Nothing was sent. Connect with a larger RpcClientOptions.LoanBudget.");
        }

        while (true)
        {
            ReadWhatIsThere();
            var slice = Deadline.After(TimeSpan.FromMilliseconds(FullRetryMilliseconds));
            IpcStatus status = _builder.ClaimSpilled(Deadline.Earlier(slice, deadline), cancel);
            switch (status)
            {
                case IpcStatus.Ok:
                    return;
                case IpcStatus.Timeout:
                    if (deadline.HasPassed)
                        throw RpcFailure.Deadline(method).ToException(cancel);
                    break;
                case IpcStatus.Cancelled:
                    throw RpcFailure.Cancelled(method).ToException(cancel);
                default:
                    End(ReasonOf(status));
                    throw Ended!.ToException(cancel);
            }
        }
    }

    private void EnterWrite(RpcMethod method, Deadline deadline, CancellationToken cancel)
    {
        if (Monitor.TryEnter(_write))
            return;

        while (true)
        {
            double remaining = Math.Ceiling(deadline.Remaining.TotalMilliseconds);
            if (Monitor.TryEnter(_write, (int)Math.Max(0, Math.Min(remaining, LockSlice))))
                return;
            if (cancel.IsCancellationRequested)
                throw RpcFailure.Cancelled(method).ToException(cancel);
            if (deadline.HasPassed)
                throw RpcFailure.Deadline(method).ToException(cancel);
        }
    }

    private void ExitWrite()
    {
        Monitor.Exit(_write);
        Interlocked.MemoryBarrier(); // [control] a frame left behind while we held the lock is ours to send
        if (_control.HasAny)
            FlushControl();
        if (Volatile.Read(ref _readingIsOver))
            Free();
    }

    /// <summary>Sends small frames that were left behind, unless another thread is about to.</summary>
    public void FlushControl()
    {
        bool go = true;
        while (go && _control.HasAny && Monitor.TryEnter(_write))
        {
            try
            {
                go = _ended is null && _control.Flush(_builder);
            }
            catch (CorruptRegionException e)
            {
                go = false;
                End(Corrupted(e));
            }
            finally
            {
                Monitor.Exit(_write);
                Interlocked.MemoryBarrier(); // [control]
            }
        }

        if (!go && _ended is null)
            _timer.RetryControlSoon(); // the ring is full, and perhaps nobody else has anything to send
        if (Volatile.Read(ref _readingIsOver))
            Free();
    }
}
