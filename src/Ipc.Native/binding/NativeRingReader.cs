using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>The reading end of a ring. One thread at a time; <see cref="Dispose"/> from any.</summary>
public sealed unsafe partial class NativeRingReader : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _ring;
    private readonly bool _borrowed;

    private NativeRingReader(IntPtr ring)
    {
        _ring = ring;
        _owner = new NativeHandle(ring, NativeMethods.ipc_ring_reader_stop, NativeMethods.ipc_ring_reader_close);
    }

    /// <summary>A direction of a connection, which owns it.</summary>
    internal NativeRingReader(NativeHandle connection, IntPtr ring)
    {
        _ring = ring;
        _owner = connection;
        _borrowed = true;
    }

    /// <summary>Opens the reading end of the ring of that name.</summary>
    /// <exception cref="NativeException">A live reader exists (<see cref="NativeStatus.InUse"/>), and the other errors of <c>ipc_ring_reader_open</c>.</exception>
    public static NativeRingReader Open(string name, NativeRingOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeRingOptions();
        RingOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr ring;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_ring_reader_open(text, &data, &ring));
        return new NativeRingReader(ring);
    }

    /// <summary>The next record in place, or Empty at once. May be called again before releasing (reads ahead).</summary>
    public NativeStatus TryRead(out NativeRecord record)
    {
        using var use = new Use(_owner);
        RecordData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_ring_try_read(_ring, &data), _owner);
        if (status == NativeStatus.Ok)
            _owner.IsReadOut = true;
        record = status == NativeStatus.Ok ? new NativeRecord(data) : default;
        return status;
    }

    /// <summary>The next record in place, waiting for it.</summary>
    /// <returns>Ok, or Timeout, Cancelled, Closed, PeerClosed, PeerDied, with an empty record.</returns>
    public NativeStatus Read(out NativeRecord record, NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        RecordData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_ring_read(_ring, deadline.Value, scope.Value, &data), _owner);
        if (status == NativeStatus.Ok)
            _owner.IsReadOut = true;
        record = status == NativeStatus.Ok ? new NativeRecord(data) : default;
        return status;
    }

    /// <summary>Releases all records read so far: their payloads may be overwritten from now on.</summary>
    public void Release()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_release(_ring);
        _owner.IsReadOut = false;
    }

    /// <summary>Waits until a live writer is attached. Not for the rings of a connection.</summary>
    public NativeStatus WaitForPeer(NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_ring_reader_wait_for_peer(_ring, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Leaves; a thread that waits in a call of this end gets <see cref="NativeStatus.Closed"/>. For a direction of a connection this does
    /// nothing: the connection is what has to be disposed of.</summary>
    public void Dispose()
    {
        if (!_borrowed)
            _owner.Leave();
    }
}
