using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>A writer of a topic. One thread at a time; <see cref="Dispose"/> from any.</summary>
public sealed unsafe partial class NativeTopicWriter : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _writer;

    private NativeTopicWriter(IntPtr writer)
    {
        _writer = writer;
        _owner = new NativeHandle(writer, NativeMethods.ipc_topic_writer_stop, NativeMethods.ipc_topic_writer_close);
    }

    /// <summary>Opens a writer of the topic of that name.</summary>
    /// <exception cref="NativeException">The errors of <c>ipc_topic_writer_open</c>.</exception>
    public static NativeTopicWriter Open(string name, NativeTopicOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeTopicOptions();
        TopicOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr writer;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_topic_writer_open(text, &data, &writer));
        return new NativeTopicWriter(writer);
    }

    /// <summary>A slot to be filled in place and then committed or abandoned; readers get no further than it until then.</summary>
    /// <returns>Ok, or Timeout, Cancelled, Closed.</returns>
    public NativeStatus Claim(int length, out NativeBlock block, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        block = default;
        fixed (BlockData* data = &block.Data)
        {
            NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_claim(_writer, checked((uint)length), deadline.Value, scope.Value, data), _owner);
            _owner.IsClaimOut |= status == NativeStatus.Ok;
            return status;
        }
    }

    /// <summary>Publishes the first bytes of a claimed slot.</summary>
    public NativeStatus Commit(ref NativeBlock block, int length, int type = 0, ulong key = 0)
    {
        using var use = new Use(_owner);
        fixed (BlockData* data = &block.Data)
        {
            NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_commit(_writer, data, checked((uint)length), checked((ushort)type), key), _owner);
            _owner.IsClaimOut &= status != NativeStatus.Ok;
            return status;
        }
    }

    /// <summary>Gives the claim back: readers pass over it.</summary>
    public void Abandon(ref NativeBlock block)
    {
        using var use = new Use(_owner);
        fixed (BlockData* data = &block.Data)
            NativeMethods.ipc_topic_abandon(_writer, data);
        _owner.IsClaimOut = false;
    }

    /// <summary>Claim, copy, commit.</summary>
    public NativeStatus Publish(ReadOnlySpan<byte> payload, int type = 0, ulong key = 0, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        fixed (byte* bytes = payload)
            return NativeError.Check(NativeMethods.ipc_topic_publish(_writer, bytes, (uint)payload.Length, checked((ushort)type), key, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Waits until so many readers are attached.</summary>
    public NativeStatus WaitForReaders(int count, NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_topic_writer_wait_for_readers(_writer, checked((uint)count), deadline.Value, scope.Value), _owner);
    }

    /// <summary>Leaves; a thread that waits in a call of this object gets <see cref="NativeStatus.Closed"/>.</summary>
    public void Dispose() => _owner.Leave();
}
