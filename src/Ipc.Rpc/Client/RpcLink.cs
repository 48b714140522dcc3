using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>One connection as the calls made on it see it: where frames are built and sent, and who reads the answers.</summary>
/// <remarks>A client's channel is one, and so is a server's connection, whose calls are callbacks.</remarks>
internal abstract class RpcLink
{
    /// <summary>Builds frames; the write lock's.</summary>
    public abstract FrameBuilder Builder { get; }

    /// <summary>Who is at the other end, for texts: "the server x", "the client with process id 7".</summary>
    public abstract string Peer { get; }

    /// <summary>Why it is over; <see langword="null"/> while it is not known to be.</summary>
    public abstract RpcFailure? Ended { get; }

    /// <summary>The items that are under way on it.</summary>
    public abstract StreamTransit Transit { get; }

    /// <summary>Whether there is room for an item now.</summary>
    public abstract bool TakesItems { get; }

    /// <summary>Whose batches hold back its frames; <see langword="null"/> when none can.</summary>
    public virtual object? BatchOwner => null;

    /// <summary>Publishes what a batch held back.</summary>
    public virtual void PublishHeld()
    {
    }

    /// <summary>Takes the write lock.</summary>
    /// <exception cref="RpcException">The deadline passed.</exception>
    /// <exception cref="System.OperationCanceledException"><paramref name="cancel"/> was triggered.</exception>
    public abstract void EnterWrite(RpcMethod method, Deadline deadline, CancellationToken cancel);

    /// <summary>Gives the write lock back, and does what others left behind meanwhile.</summary>
    public abstract void ExitWrite();

    /// <summary>Looks whether the peer is there, and ends the link if it is not. Under the write lock.</summary>
    public abstract bool CheckPeer();

    /// <summary>Finds a place for the frame that is <see cref="FrameOutcome.Full"/>. Under the write lock.</summary>
    /// <returns>Whether it is in the ring now, to be published; if not, the link has taken its bytes and sends them by itself, in order.</returns>
    /// <exception cref="RpcException">The deadline passed, or the link ended.</exception>
    /// <exception cref="System.OperationCanceledException"><paramref name="cancel"/> was triggered.</exception>
    public abstract bool MakeRoom(RpcMethod method, Deadline deadline, CancellationToken cancel);

    /// <summary>Completes when an item that was not sent may be tried again.</summary>
    /// <param name="pause">How long to wait at most for a reason that nobody tells of, in milliseconds.</param>
    /// <param name="cancel">Ends the wait.</param>
    public abstract Task WhenRoom(int pause, CancellationToken cancel);

    /// <summary>The ring is not one: ends the link.</summary>
    /// <returns>Why it ended.</returns>
    public abstract RpcFailure Broken(CorruptRegionException e);

    /// <summary>Something threw on a thread that nobody waits for: ends the link, and with it every call.</summary>
    public abstract void EndUnexpectedly(Exception e);

    /// <summary>Sends a frame without a message, now or, when the ring is full or being written to, as soon as possible.</summary>
    public abstract void SendControl(FrameHeader header, byte[]? body = null);

    /// <summary>Sends small frames that were left behind, unless another thread is about to.</summary>
    public abstract void FlushControl();

    /// <summary>Waits until the call is done: by reading, or while others read.</summary>
    public abstract void Wait(SyncCall call, Deadline deadline, CancellationToken cancel);

    /// <summary>Reads for a moment: the calling thread is about to wait for <paramref name="call"/>, and most answers come soon.</summary>
    public abstract void Poll(PendingCall call);

    /// <summary>Handles what has come, without waiting, unless another thread is at it.</summary>
    public abstract void ReadWhatIsThere();

    /// <summary>Somebody waits for a call whose thread does not: it has to be read for.</summary>
    public abstract void AddAwaited();

    /// <summary>One of those has ended.</summary>
    public abstract void RemoveAwaited();

    /// <summary>After <see cref="AddAwaited"/>: sees to it that somebody reads.</summary>
    public abstract void WakeReader();
}
