using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A request that found no room in the ring. It leaves the queue of its connection once: for the ring, or for
/// nowhere.</summary>
internal sealed class QueuedFrame
{
    private const int Waits = 0;
    private const int WasSent = 1;
    private const int WasRemoved = 2;

    private readonly TaskCompletionSource<bool>? _left;
    private int _state; // [flag] stored under the queue's lock

    /// <param name="bytes">All of it.</param>
    /// <param name="isAwaited">Whether somebody awaits <see cref="Left"/>.</param>
    public QueuedFrame(byte[] bytes, bool isAwaited)
    {
        Bytes = bytes;
        _left = isAwaited ? new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously) : null;
    }

    public byte[] Bytes { get; }

    /// <summary>Where it is in the queue; the queue's.</summary>
    public LinkedListNode<QueuedFrame>? Place { get; set; }

    /// <summary>Where in the ring it was put; the queue's, before it leaves.</summary>
    public long SentAt { get; set; }

    public bool IsWaiting => Volatile.Read(ref _state) == Waits;

    public bool IsSent => Volatile.Read(ref _state) == WasSent;

    /// <summary>Completes when it has left the queue, or nobody wants to wait longer.</summary>
    public Task Left => _left!.Task;

    /// <summary>It leaves the queue; the queue's.</summary>
    public void Leave(bool sent) => Volatile.Write(ref _state, sent ? WasSent : WasRemoved);

    /// <summary>Ends the wait of who awaits it.</summary>
    public void Tell() => _left?.TrySetResult(true);
}
