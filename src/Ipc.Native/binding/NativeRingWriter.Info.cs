using System;

namespace Ipc.Native;

/// <content>The other end, numbers, and what never waits.</content>
public sealed unsafe partial class NativeRingWriter
{
    /// <summary>How often a publish found the reader asleep and had to wake it. Any thread.</summary>
    public long Wakes
    {
        get
        {
            using var use = new Use(_owner);
            return (long)NativeMethods.ipc_ring_writer_wakes(_ring);
        }
    }

    /// <summary>What was committed ends at or before this position, what is committed later begins at or behind it.</summary>
    public long Position
    {
        get
        {
            using var use = new Use(_owner);
            return (long)NativeMethods.ipc_ring_writer_position(_ring);
        }
    }

    /// <summary>What has become of the reader.</summary>
    public NativePeerState Peer
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_ring_writer_peer(_ring);
        }
    }

    /// <summary>The size of the ring in bytes.</summary>
    public long Capacity
    {
        get
        {
            using var use = new Use(_owner);
            return (long)NativeMethods.ipc_ring_writer_capacity(_ring);
        }
    }

    /// <summary>Waits of this end return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_writer_stop(_ring);
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_writer_resume(_ring);
    }

    /// <summary>Claims contiguous bytes in place, or Full at once; a new claim replaces an open one.</summary>
    public NativeStatus TryClaim(int length, out Span<byte> payload)
    {
        using var use = new Use(_owner);
        void* bytes = null;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_ring_try_claim(_ring, Size(length), &bytes), _owner);
        if (status == NativeStatus.Ok)
            _owner.IsClaimOut = true;
        payload = status == NativeStatus.Ok ? new Span<byte>(bytes, length) : default;
        return status;
    }

    /// <summary>Gives the memory of loans that are not in use back to the system.</summary>
    public void TrimLoans()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_writer_trim_loans(_ring);
    }
}
