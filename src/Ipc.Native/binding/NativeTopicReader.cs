using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>A reader of a topic. One thread at a time; <see cref="Dispose"/> from any.</summary>
public sealed unsafe partial class NativeTopicReader : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _reader;

    private NativeTopicReader(IntPtr reader)
    {
        _reader = reader;
        _owner = new NativeHandle(reader, NativeMethods.ipc_topic_reader_stop, NativeMethods.ipc_topic_reader_close);
    }

    /// <summary>Opens a reader of the topic of that name.</summary>
    /// <exception cref="NativeException">The errors of <c>ipc_topic_reader_open</c>.</exception>
    public static NativeTopicReader Open(string name, NativeTopicOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeTopicOptions();
        TopicOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr reader;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_topic_reader_open(text, &data, &reader));
        return new NativeTopicReader(reader);
    }

    /// <summary>The next message, waiting for it. May be called again before releasing (reads ahead).</summary>
    /// <returns>Ok, or Timeout, Cancelled, Closed, Evicted (until <see cref="Rejoin"/>).</returns>
    public NativeStatus Read(out NativeMessage message, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        MessageData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_read(_reader, deadline.Value, scope.Value, &data), _owner);
        if (status is NativeStatus.Ok or NativeStatus.Evicted)
            _owner.IsReadOut = true;
        message = status is NativeStatus.Ok or NativeStatus.Evicted ? new NativeMessage(data) : default;
        return status;
    }

    /// <summary>Releases all messages read so far.</summary>
    /// <returns>Ok, or Evicted: they may have been overwritten while they were read.</returns>
    public NativeStatus Release()
    {
        using var use = new Use(_owner);
        NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_release(_reader), _owner);
        _owner.IsReadOut = false;
        return status;
    }

    /// <summary>Begins again at that place.</summary>
    public NativeStatus Rejoin(NativeJoin join)
    {
        using var use = new Use(_owner);
        return NativeError.Check(NativeMethods.ipc_topic_rejoin(_reader, (int)join), _owner);
    }

    /// <summary>Leaves; a thread that waits in a call of this object gets <see cref="NativeStatus.Closed"/>.</summary>
    public void Dispose() => _owner.Leave();
}
