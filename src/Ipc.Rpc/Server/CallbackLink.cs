using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// A server's calls to a client share the connection with its answers to that client: the same write lock, builder and
// outbox. But who answers must never wait, since it may be the thread that serves everybody; who calls may, and has to
// while the client does not read, or else the outbox would grow with every call. So a caller waits outside of the lock
// until the connection is not congested.
//
// Answers are read by the leader. A handler that waits for one may be running on the leader's own thread; it then hands
// the lead over at once instead of when the standby next looks.

/// <summary>A server's connection as the callbacks made on it see it.</summary>
internal sealed class CallbackLink : RpcLink
{
    private const int LockSlice = 50;
    private const int Spins = 50;

    private readonly ServerConnection _connection;

    public CallbackLink(ServerConnection connection, FrameBuilder builder, string peer)
    {
        _connection = connection;
        Builder = builder;
        Peer = peer;
    }

    public override FrameBuilder Builder { get; }

    public override string Peer { get; }

    public override StreamTransit Transit => _connection.Transit;

    public override WaitMode WaitMode => _connection.WaitMode;

    public override bool HasQueued => _connection.IsCongested;

    public override RpcFailure? Ended => _connection.Ended;

    public override bool IsDrained => _connection.IsDrained;

    public override bool IsReaderAway => true; // it runs handlers

    /// <summary>The calls made over it.</summary>
    public CallEngine Engine { get; set; } = null!;

    public override bool IsEncodingHere => Monitor.IsEntered(_connection.WriteLock) && _connection.IsEncoding;

    public override bool IsReadHere => _connection.IsReadInlineHere;

    public override void EnterWrite(
        RpcMethod method, bool mayWait, Deadline deadline, CancellationToken cancellationToken)
    {
        while (true)
        {
            Monitor.Enter(_connection.WriteLock);
            if (_connection.IsEncoding)
            {
                Monitor.Exit(_connection.WriteLock);
                throw Encoding(method);
            }

            if (!_connection.IsCongested || (!mayWait && _connection.TakesCalls))
                return;

            Monitor.Exit(_connection.WriteLock);
            if (!mayWait)
                throw TooManyBytes(method);
            if (CalleeLink.IsInline)
            {
                throw new RpcCallException(
                    RpcStatus.ResourceExhausted,
                    "A call to " + method.FullName + " was not sent: " + Peer +
                        " does not read, and an inline handler may not wait until it does.");
            }

            WaitForRoom(method, deadline, cancellationToken);
        }
    }

    public override void ExitWrite()
    {
        Monitor.Exit(_connection.WriteLock);
        Interlocked.MemoryBarrier(); // [deadline]; what ends the connection has had the lock [ended]
    }

    public override bool CheckPeer() => _connection.CheckClient();

    public override void EndGone(Deadline deadline, CancellationToken cancellationToken)
    {
        // The leader will be told, and reads to the end.
    }

    public override bool MayGoIntoRing() => !_connection.IsCongested;

    public override bool MakeRoom(RpcMethod method, bool mayExceed, bool isAwaited, out QueuedFrame? queued)
    {
        queued = null;
        return _connection.MakeRoom();
    }

    public override bool TryUnqueue(QueuedFrame queued) => false; // the outbox keeps what it has

    public override void WaitUntilSent(QueuedFrame queued, Deadline deadline, CancellationToken cancellationToken)
    {
        // Nothing that could be waited for gets here: who may wait has done so before.
    }

    public override Task WhenRoom(int pause, CancellationToken cancellationToken) => _connection.WhenRoom(
        pause, cancellationToken);

    public override RpcFailure Broken(CorruptRegionException e)
    {
        _connection.Close(CloseCode.Corrupt, e.Message);
        return Ended!;
    }

    public override void EndUnexpectedly(Exception e) =>
        _connection.Close(CloseCode.Protocol, "The server's side of the connection failed: " + ErrorText.Of(e));

    public override void SendControl(
        FrameHeader header, byte[]? body = null) => _connection.SendControl(header, body ?? Array.Empty<byte>());

    public override void FlushControl()
    {
        // Nothing is ever left behind: what finds no room goes to the outbox.
    }

    public override void Wait(SyncCall call, Deadline deadline, CancellationToken cancellationToken)
    {
        if (_connection.IsReadInlineHere)
        {
            Engine.EndCall(call, call.Slot, call.Use, new RpcFailure(
                RpcStatus.FailedPrecondition,
                "An inline handler is on the thread that reads, and cannot wait for the answer of " +
                    call.Method.FullName + "."));
            return;
        }

        HandOver();
        for (int i = 0; i < Spins && !call.IsDone; i++)
            Thread.SpinWait(20);

        Parker parker = call.Parker;
        using CancellationTokenRegistration registration = cancellationToken.CanBeCanceled
            ? CleanRegistration.Make(static state => ((Parker)state!).Signal(), parker, cancellationToken)
            : default;
        call.Park();
        while (!call.IsDone)
        {
            if (cancellationToken.IsCancellationRequested)
                Engine.EndCall(call, call.Slot, call.Use, RpcFailure.Cancelled(call.Method));
            else if (!deadline.HasPassed)
                parker.Wait(deadline);
            else if (!Engine.EndIfOverdue(call, call.Slot, call.Use))
                parker.Wait(Lateness.NextLook);
        }
    }

    public override void Poll(PendingCall call)
    {
        // The leader reads.
    }

    public override void ReadWhatIsThere()
    {
        // The leader reads.
    }

    public override void AddAwaited()
    {
        // The leader reads whether somebody waits or not.
    }

    public override void RemoveAwaited()
    {
        // As above.
    }

    public override void WakeReader()
    {
        // As above.
    }

    /// <summary>The handler that this thread is in is about to wait for what has to be read: it counts no more among
    /// those that block.</summary>
    private static void HandOver()
    {
        Leader.HandOver();
        if (ServerCall.OfThread is { } call)
            call.Callee.ComeBack(call);
    }

    private RpcCallException TooManyBytes(RpcMethod method)
        => new(
            RpcStatus.ResourceExhausted,
            "A call to " + method.FullName + " was not sent: " + Peer +
            " does not read, and half of what may wait for it waits already (RpcServerOptions.MaxUnsentBytes).");

    private void WaitForRoom(RpcMethod method, Deadline deadline, CancellationToken cancellationToken)
    {
        HandOver();
        Task flushed = _connection.Flushed();
        while (true)
        {
            double remaining = Math.Ceiling(deadline.Remaining.TotalMilliseconds);
            if (cancellationToken.IsCancellationRequested)
                throw RpcFailure.Cancelled(method).ToException(cancellationToken, method, Peer);
            if (deadline.HasPassed)
                throw RpcFailure.Deadline(method).ToException(cancellationToken, method, Peer);
            if (flushed.Wait((int)Math.Max(0, Math.Min(remaining, LockSlice)), CancellationToken.None))
                return;
        }
    }
}
