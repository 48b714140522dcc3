using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>A queue between processes: any number send, any number receive, each message goes to one of them. Any number of threads.</summary>
public sealed unsafe partial class NativeQueue : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _queue;

    private NativeQueue(IntPtr queue)
    {
        _queue = queue;
        _owner = new NativeHandle(queue, NativeMethods.ipc_queue_stop, NativeMethods.ipc_queue_close);
    }

    /// <summary>Opens the queue of that name, as a participant that may send and receive.</summary>
    /// <exception cref="NativeException">The errors of <c>ipc_queue_open</c>.</exception>
    public static NativeQueue Open(string name, NativeQueueOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeQueueOptions();
        QueueOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr queue;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_queue_open(text, &data, &queue));
        return new NativeQueue(queue);
    }

    /// <summary>A block to be filled and then committed or abandoned, waiting for room.</summary>
    /// <returns>Ok, or Timeout, Cancelled, Closed.</returns>
    public NativeStatus Claim(int length, out NativeBlock block, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        block = default;
        fixed (BlockData* data = &block.Data)
            return HandedOut(NativeError.Check(NativeMethods.ipc_queue_claim(_queue, checked((uint)length), deadline.Value, scope.Value, data), _owner));
    }

    /// <summary>Sends the first bytes of a claimed block.</summary>
    public NativeStatus Commit(ref NativeBlock block, int length, int type = 0)
    {
        using var use = new Use(_owner);
        fixed (BlockData* data = &block.Data)
            return NativeError.Check(NativeMethods.ipc_queue_commit(_queue, data, checked((uint)length), checked((ushort)type)), _owner);
    }

    /// <summary>Gives a claimed block back unsent.</summary>
    public void Abandon(ref NativeBlock block)
    {
        using var use = new Use(_owner);
        fixed (BlockData* data = &block.Data)
            NativeMethods.ipc_queue_abandon(_queue, data);
    }

    /// <summary>Claim, copy, commit.</summary>
    public NativeStatus Send(ReadOnlySpan<byte> payload, int type = 0, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        fixed (byte* bytes = payload)
            return NativeError.Check(NativeMethods.ipc_queue_send(_queue, bytes, (uint)payload.Length, checked((ushort)type), deadline.Value, scope.Value), _owner);
    }

    /// <summary>The next message in place, waiting for it. Several may be held at a time, and released in any order.</summary>
    /// <returns>Ok, or Timeout, Cancelled, Closed.</returns>
    public NativeStatus Receive(out NativeBlock block, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        block = default;
        fixed (BlockData* data = &block.Data)
            return HandedOut(NativeError.Check(NativeMethods.ipc_queue_receive(_queue, deadline.Value, scope.Value, data), _owner));
    }

    /// <summary>The message is done with, for good: its block is free.</summary>
    public void Release(ref NativeBlock block)
    {
        using var use = new Use(_owner);
        fixed (BlockData* data = &block.Data)
            NativeMethods.ipc_queue_release(_queue, data);
    }

    /// <summary>Leaves; threads that wait in a call of this object get <see cref="NativeStatus.Closed"/>.</summary>
    public void Dispose() => _owner.Leave();

    /// <summary>Nobody counts them: from now on there may be one.</summary>
    private NativeStatus HandedOut(NativeStatus status)
    {
        if (status == NativeStatus.Ok && !_owner.IsReadOut)
            _owner.IsReadOut = true;
        return status;
    }
}
