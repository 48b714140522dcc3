using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>The writing end of a ring: claim, fill in place, commit. One thread at a time; <see cref="Dispose"/> from any.</summary>
/// <remarks>Payloads are shared memory and must not be used after their commit, nor after the end is disposed of.</remarks>
public sealed unsafe partial class NativeRingWriter : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _ring;
    private readonly bool _borrowed;

    private NativeRingWriter(IntPtr ring)
    {
        _ring = ring;
        _owner = new NativeHandle(ring, NativeMethods.ipc_ring_writer_stop, NativeMethods.ipc_ring_writer_close);
    }

    /// <summary>A direction of a connection, which owns it.</summary>
    internal NativeRingWriter(NativeHandle connection, IntPtr ring)
    {
        _ring = ring;
        _owner = connection;
        _borrowed = true;
    }

    /// <summary>The longest record, in bytes.</summary>
    public long MaxPayload
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_ring_writer_max_payload(_ring);
        }
    }

    /// <summary>Opens the writing end of the ring of that name.</summary>
    /// <exception cref="NativeException">A live writer exists (<see cref="NativeStatus.InUse"/>), and the other errors of <c>ipc_ring_writer_open</c>.</exception>
    public static NativeRingWriter Open(string name, NativeRingOptions? options = null, CancellationToken cancellationToken = default)
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
            NativeError.Demand(NativeMethods.ipc_ring_writer_open(text, &data, &ring));
        return new NativeRingWriter(ring);
    }

    /// <summary>Claims contiguous bytes in place, waiting for room until the deadline; a new claim replaces an open one.</summary>
    /// <returns><see cref="NativeStatus.Ok"/>, or Timeout, Cancelled, Closed, PeerClosed, PeerDied, with an empty payload.</returns>
    public NativeStatus Claim(int length, out Span<byte> payload, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        void* bytes = null;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_ring_claim(_ring, Size(length), deadline.Value, scope.Value, &bytes), _owner);
        if (status == NativeStatus.Ok)
            _owner.IsClaimOut = true;
        payload = status == NativeStatus.Ok ? new Span<byte>(bytes, length) : default;
        return status;
    }

    /// <summary>Grows the open claim, keeping what was written; the bytes may move.</summary>
    /// <returns>Ok, or Full: the claim is as it was and <paramref name="payload"/> is not changed.</returns>
    public NativeStatus ExtendClaim(int length, ref Span<byte> payload)
    {
        using var use = new Use(_owner);
        void* bytes = null;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_ring_try_extend_claim(_ring, Size(length), &bytes), _owner);
        if (status == NativeStatus.Ok)
            payload = new Span<byte>(bytes, Math.Max(length, payload.Length));
        return status;
    }

    /// <summary>Commits the first bytes of the claim and publishes them with everything batched before.</summary>
    public NativeStatus Commit(int length, int type = 0)
    {
        using var use = new Use(_owner);
        return Ended(NativeError.Check(NativeMethods.ipc_ring_commit(_ring, Size(length), checked((ushort)type)), _owner));
    }

    /// <summary>Commits without publishing: the batch goes out with the next commit or <see cref="Flush"/>.</summary>
    public NativeStatus CommitBatched(int length, int type = 0)
    {
        using var use = new Use(_owner);
        return Ended(NativeError.Check(NativeMethods.ipc_ring_commit_batched(_ring, Size(length), checked((ushort)type)), _owner));
    }

    /// <summary>Publishes what was batched.</summary>
    public void Flush()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_flush(_ring);
    }

    /// <summary>Gives the claim back. The ring is as if it had not been made.</summary>
    public void Abandon()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_ring_abandon(_ring);
        _owner.IsClaimOut = false;
    }

    /// <summary>Claim, copy, commit.</summary>
    public NativeStatus Write(ReadOnlySpan<byte> payload, int type = 0, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        fixed (byte* bytes = payload)
            return NativeError.Check(NativeMethods.ipc_ring_write(_ring, bytes, (uint)payload.Length, checked((ushort)type), deadline.Value, scope.Value), _owner);
    }

    /// <summary>Waits until a live reader is attached. Not for the rings of a connection.</summary>
    public NativeStatus WaitForPeer(NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_ring_writer_wait_for_peer(_ring, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Leaves; a thread that waits in a call of this end gets <see cref="NativeStatus.Closed"/>. For a direction of a connection this does
    /// nothing: the connection is what has to be disposed of.</summary>
    public void Dispose()
    {
        if (!_borrowed)
            _owner.Leave();
    }

    /// <summary>A commit has ended the claim.</summary>
    private NativeStatus Ended(NativeStatus status)
    {
        if (status == NativeStatus.Ok)
            _owner.IsClaimOut = false;
        return status;
    }

    private static uint Size(int length) => length >= 0 ? (uint)length : throw new ArgumentOutOfRangeException(nameof(length));
}
