using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>One connection as the calls made on it see it: where frames are built and sent, and who reads the
/// answers.</summary>
/// <remarks>A client's channel is one, and so is a server's connection, whose calls are callbacks.</remarks>
internal abstract class RpcLink
{
    /// <summary>Builds frames; the write lock's.</summary>
    public abstract FrameBuilder Builder { get; }

    /// <summary>Who is at the other end, for texts: "the server x", "the client with process id 7".</summary>
    public abstract string Peer { get; }

    /// <summary>Why it is over; <see langword="null"/> while it is not known to be.</summary>
    public abstract RpcFailure? Ended { get; }

    /// <summary>The peer takes no further calls: those that it has are answered, others go elsewhere.</summary>
    public virtual void Leave()
    {
    }

    /// <summary>The items that are under way on it.</summary>
    public abstract StreamTransit Transit { get; }

    /// <summary>How its threads wait.</summary>
    public abstract WaitMode WaitMode { get; }

    /// <summary>Whether other frames wait for room, which items do not overtake.</summary>
    public abstract bool HasQueued { get; }

    /// <summary>Whose batches hold back its frames; <see langword="null"/> when none can.</summary>
    public virtual object? BatchOwner => null;

    /// <summary>Publishes what a batch held back.</summary>
    public virtual void PublishHeld()
    {
    }

    /// <summary>Whether this thread is writing a message on it: a property of the message, or its serializer, has
    /// called.</summary>
    public abstract bool IsEncodingHere { get; }

    /// <summary>Whether this thread is the one that reads it, in an inline handler or a decoder, and so keeps everybody
    /// else from reading.</summary>
    public abstract bool IsReadHere { get; }

    /// <summary>Takes the write lock.</summary>
    /// <param name="method">What is to be called.</param>
    /// <param name="mayWait">Whether this thread may wait for the callee to read; if not, it waits for the moment that
    /// another thread needs to write a message.</param>
    /// <param name="deadline">When the wait ends.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RpcCallException">The deadline passed; this thread writes a message already; or the callee does
    /// not read, and so much waits for it already that no more may.</exception>
    /// <exception cref="System.OperationCanceledException"><paramref name="cancellationToken"/> was
    /// triggered.</exception>
    public abstract void EnterWrite(
        RpcMethod method, bool mayWait, Deadline deadline, CancellationToken cancellationToken);

    /// <summary>What a message gets that calls over the connection that it is being written for.</summary>
    private protected RpcCallException Encoding(RpcMethod method)
        => new(
            RpcStatus.FailedPrecondition,
            null,
            "A call to " + method.FullName +
                " was made by a message that was being written for the same connection: its property, or its " +
                "serializer.",
            null, null, method, Peer);

    /// <summary>Gives the write lock back, and does what others left behind meanwhile.
    /// A full fence [ended] [deadline].</summary>
    public abstract void ExitWrite();

    /// <summary>Looks whether the peer is there. If it is not, <see cref="EndGone"/> is due. Under the write
    /// lock.</summary>
    public abstract bool CheckPeer();

    /// <summary>The peer has gone: reads what it had sent before, and ends the link. Without the write lock: what was
    /// sent may be for code of the user's.</summary>
    /// <param name="deadline">How long the calling thread may wait for another one that reads. The end is left to that
    /// one then.</param>
    /// <param name="cancellationToken">Ends that wait.</param>
    public abstract void EndGone(Deadline deadline, CancellationToken cancellationToken);

    /// <summary>Whether a frame may be written straight into the ring: nothing waits for room before it. Under the
    /// write lock.</summary>
    public abstract bool MayGoIntoRing();

    /// <summary>Finds a place for the frame that is <see cref="FrameOutcome.Full"/>. Under the write lock; waits no
    /// longer than a moment.</summary>
    /// <param name="method">What is called.</param>
    /// <param name="mayExceed">Whether it may be more than is allowed to wait: its thread waits with it, or it was
    /// accepted before, for a server that has gone.</param>
    /// <param name="isAwaited">Whether somebody awaits that it leaves the queue.</param>
    /// <param name="queued">Where it is, if it can be taken back.</param>
    /// <returns>Whether it is in the ring now, to be published; if not, the link has taken its bytes and sends them by
    /// itself, in order.</returns>
    /// <exception cref="RpcCallException">Too much waits already, or the link ended.</exception>
    public abstract bool MakeRoom(RpcMethod method, bool mayExceed, bool isAwaited, out QueuedFrame? queued);

    /// <summary>Takes a frame back.</summary>
    /// <returns><see langword="false"/> when it has been sent.</returns>
    public abstract bool TryUnqueue(QueuedFrame queued);

    /// <summary>Waits until a frame has left the queue, or there is no point in waiting longer. Its thread's, without
    /// the write lock.</summary>
    public abstract void WaitUntilSent(QueuedFrame queued, Deadline deadline, CancellationToken cancellationToken);

    /// <summary>Completes when an item that was not sent may be tried again.</summary>
    /// <param name="pause">How long to wait at most for a reason that nobody tells of, in milliseconds.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public abstract Task WhenRoom(int pause, CancellationToken cancellationToken);

    /// <summary>The ring is not one: ends the link.</summary>
    /// <returns>Why it ended.</returns>
    public abstract RpcFailure Broken(CorruptRegionException e);

    /// <summary>Something threw on a thread that nobody waits for: ends the link, and with it every call.</summary>
    public abstract void EndUnexpectedly(Exception e);

    /// <summary>Sends a frame without a message, now or, when the ring is full or being written to, as soon as
    /// possible.</summary>
    public abstract void SendControl(FrameHeader header, byte[]? body = null);

    /// <summary>Sends small frames that were left behind, unless another thread is about to.</summary>
    public abstract void FlushControl();

    /// <summary>Waits until the call is done: by reading, or while others read.</summary>
    public abstract void Wait(SyncCall call, Deadline deadline, CancellationToken cancellationToken);

    /// <summary>Reads for a moment: the calling thread is about to wait for <paramref name="call"/>, and most answers
    /// come soon.</summary>
    public abstract void Poll(PendingCall call);

    /// <summary>Whether all that has come has been handled. Any thread, whoever reads; never waits.</summary>
    public abstract bool IsDrained { get; }

    /// <summary>Whether the thread that reads is in code of the user: when it goes on is not known. Any
    /// thread.</summary>
    public abstract bool IsReaderAway { get; }

    /// <summary>Handles what has come, without waiting, unless another thread is at it; no more than some hundred
    /// frames, for a peer may write without end.</summary>
    public abstract void ReadWhatIsThere();

    /// <summary>Somebody waits for a call whose thread does not: it has to be read for.</summary>
    public abstract void AddAwaited();

    /// <summary>One of those has ended.</summary>
    public abstract void RemoveAwaited();

    /// <summary>After <see cref="AddAwaited"/>: sees to it that somebody reads.</summary>
    public abstract void WakeReader();
}
