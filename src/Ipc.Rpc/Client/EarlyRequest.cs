using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>An asynchronous request that was made while there was no connection: written already, so that its caller
/// may go on with the message. It leaves the queue of its client once: for a connection, or for nowhere.</summary>
internal sealed class EarlyRequest
{
    private readonly EarlyRequests _queue;
    private readonly TaskCompletionSource<bool>? _left;
    private readonly ExecutionContext? _context;

    /// <param name="queue">Where it will wait.</param>
    /// <param name="method">What is called.</param>
    /// <param name="call">Who waits for its answer; <see langword="null"/> when there is none.</param>
    /// <param name="frame">All of it, but for the header.</param>
    /// <param name="head">The part between header and message.</param>
    /// <param name="how">What the header says.</param>
    /// <param name="peer">Who is called, for texts.</param>
    public EarlyRequest(
        EarlyRequests queue,
        RpcMethod method,
        PendingCall? call,
        byte[] frame,
        byte[]? head,
        in CallRequest how,
        string peer)
    {
        _queue = queue;
        Peer = peer;
        Method = method;
        Call = call;
        Frame = frame;
        Head = head;
        How = how;
        if (call is null)
            _left = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        else if (call.HasSource)
            _context = ExecutionContext.Capture();
    }

    public RpcMethod Method { get; }

    public string Peer { get; }

    public PendingCall? Call { get; }

    public byte[] Frame { get; }

    public byte[]? Head { get; }

    public CallRequest How { get; }

    /// <summary>Where it is in the queue; the queue's, as is the rest that changes.</summary>
    public LinkedListNode<EarlyRequest>? Place { get; set; }

    /// <summary>Which one it is: later ones have larger numbers.</summary>
    public long Number { get; set; }

    /// <summary>The connection that took it.</summary>
    public CallEngine? Taken { get; set; }

    /// <summary>Where it waits there.</summary>
    public QueuedFrame? Queued { get; set; }

    /// <summary>Of a call that was taken: its place among those that are pending.</summary>
    public PendingSlot? Slot { get; set; }

    public uint Use { get; set; }

    /// <summary>Why it was not taken.</summary>
    public RpcFailure? Failure { get; private set; }

    /// <summary>Completes when a one-way one has left the queue.</summary>
    public Task Left => _left!.Task;

    /// <summary>Ends it, unless a connection has taken it. Any thread.</summary>
    public bool TryEnd(RpcFailure failure)
    {
        if (!_queue.TryRemove(this))
            return false;
        End(failure);
        return true;
    }

    /// <summary>It was removed by the caller of this.</summary>
    public void End(RpcFailure failure)
    {
        Failure = failure;
        if (Call is { } call)
            call.OnFailure(failure);
        else
            _left!.TrySetResult(true);
    }

    /// <summary>A connection has it now. Without any lock.</summary>
    public void Go()
    {
        if (Call is null)
            _left!.TrySetResult(true);
        else if (Call.HasSource)
            ThreadPool.UnsafeQueueUserWorkItem(static state => ((EarlyRequest)state!).StartSource(), this);
    }

    /// <summary>The caller's stream begins, with what its caller had set.</summary>
    private void StartSource()
    {
        if (_context is null)
            Call!.StartSource(Taken!);
        else
            ExecutionContext.Run(
                _context,
                static state => ((EarlyRequest)state!).Call!.StartSource(((EarlyRequest)state!).Taken!),
                this);
    }
}
