using System.Threading;

namespace Ipc.Native;

/// <content>The other end, numbers, and what never waits.</content>
public sealed unsafe partial class NativeRingReader
{
    /// <summary>Everything that was published by now has been released. Any thread.</summary>
    public bool IsDrained
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_ring_reader_is_drained(_ring) != 0;
        }
    }

    /// <summary>What has become of the writer.</summary>
    public NativePeerState Peer
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_ring_reader_peer(_ring);
        }
    }

    /// <summary>How far the ring was read and released, as a position of it
    /// (<see cref="NativeRingWriter.Position"/>).</summary>
    public long ReleasedTo
    {
        get
        {
            using var use = new Use(_owner);
            return (long)NativeMethods.ipc_ring_reader_released(_ring);
        }
    }

    /// <summary>The size of the ring in bytes.</summary>
    public long Capacity
    {
        get
        {
            using var use = new Use(_owner);
            return (long)NativeMethods.ipc_ring_reader_capacity(_ring);
        }
    }

    /// <summary>Waits of this end return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_reader_stop(_ring);
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_reader_resume(_ring);
    }

    /// <summary>Waits until a record can be read, and does not read it.</summary>
    public NativeStatus Wait(NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_ring_wait(_ring, deadline.Value, scope.Value), _owner);
    }
}
