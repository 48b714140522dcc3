using System;
using System.Threading;

namespace Ipc.Native;

/// <content>Sending and receiving.</content>
public sealed unsafe partial class NativeNamedConnection
{
    private ulong _lastReceived; // the receiving thread's

    /// <summary>Claims contiguous bytes in place, waiting for room until the deadline; a new claim replaces an open
    /// one. A client without a session logs in meanwhile, unless it has
    /// <see cref="NativeNamedOptions.NoReconnect"/>.</summary>
    /// <returns>Ok, also when there is no server: the message waits for it; or Timeout, Stopped, Cancelled, Closed,
    /// PeerClosed, PeerDied, with an empty payload.</returns>
    /// <exception cref="NativeException">No room, and the server refuses (<see cref="NativeStatus.Refused"/>); the
    /// errors of <c>ipc_named_claim</c>.</exception>
    public NativeStatus Claim(
        int length, out Span<byte> payload, NativeDeadline deadline = default,
        CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        void* bytes = null;
        NativeStatus status = NativeMethods.ipc_named_claim(Pointer, Size(length), deadline.Value, scope.Value, &bytes);
        return Claimed(NativeError.Check(status, _owner), bytes, length, out payload);
    }

    /// <summary>Claims contiguous bytes in place, or Full at once; a new claim replaces an open one. Never logs
    /// in.</summary>
    /// <returns>Ok, or Full: the other side has not acknowledged enough; or Closed.</returns>
    public NativeStatus TryClaim(int length, out Span<byte> payload)
    {
        using var use = new Use(_owner);
        void* bytes = null;
        NativeStatus status = NativeMethods.ipc_named_try_claim(Pointer, Size(length), &bytes);
        return Claimed(NativeError.Check(status, _owner), bytes, length, out payload);
    }

    /// <summary>Sends the first bytes of the claim, with everything batched before. The message is kept until the other
    /// side has acknowledged it.</summary>
    /// <param name="length">At most what was claimed.</param>
    /// <param name="type">A number that travels with it.</param>
    /// <param name="sequence">The message's number at Ok.</param>
    /// <returns>Ok, or Closed.</returns>
    /// <exception cref="NativeException">There is no open claim, or the conversation was given up since
    /// (<see cref="NativeStatus.InvalidState"/>: <see cref="LastReset"/>); longer than claimed
    /// (<see cref="NativeStatus.InvalidArgument"/>).</exception>
    public NativeStatus Commit(int length, int type, out ulong sequence)
    {
        using var use = new Use(_owner);
        ulong number = 0;
        NativeStatus status = NativeMethods.ipc_named_commit(Pointer, Size(length), checked((ushort)type), &number);
        sequence = number;
        return Ended(NativeError.Check(status, _owner));
    }

    /// <summary>The same without publishing: the message goes out with the next commit or <see cref="Flush"/>, or when
    /// there is no more room.</summary>
    public NativeStatus CommitBatched(int length, int type, out ulong sequence)
    {
        using var use = new Use(_owner);
        ulong number = 0;
        NativeStatus status =
            NativeMethods.ipc_named_commit_batched(Pointer, Size(length), checked((ushort)type), &number);
        sequence = number;
        return Ended(NativeError.Check(status, _owner));
    }

    /// <summary>Publishes what was batched.</summary>
    public void Flush()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_named_flush(Pointer);
    }

    /// <summary>Gives the claim back. Its number is not used.</summary>
    public void Abandon()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_named_abandon(Pointer);
        _owner.IsClaimOut = false;
    }

    /// <summary>Claims as <see cref="Claim"/> does, copies, commits.</summary>
    /// <param name="payload">The message.</param>
    /// <param name="type">A number that travels with it.</param>
    /// <param name="sequence">The message's number at Ok.</param>
    /// <param name="deadline">When to give up.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>As <see cref="Claim"/>.</returns>
    public NativeStatus Send(
        ReadOnlySpan<byte> payload, int type, out ulong sequence, NativeDeadline deadline,
        CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        ulong number = 0;
        NativeStatus status;
        fixed (byte* bytes = payload)
        {
            status = NativeMethods.ipc_named_send(
                Pointer, bytes, (uint)payload.Length, checked((ushort)type), deadline.Value, scope.Value, &number);
        }

        sequence = number;
        return Ended(NativeError.Check(status, _owner));
    }

    /// <summary>Claims as <see cref="TryClaim"/> does, copies, commits. Never logs in.</summary>
    /// <returns>As <see cref="TryClaim"/>.</returns>
    public NativeStatus TrySend(ReadOnlySpan<byte> payload, int type, out ulong sequence)
    {
        using var use = new Use(_owner);
        ulong number = 0;
        NativeStatus status;
        fixed (byte* bytes = payload)
        {
            status = NativeMethods.ipc_named_try_send(
                Pointer, bytes, (uint)payload.Length, checked((ushort)type), &number);
        }

        sequence = number;
        return Ended(NativeError.Check(status, _owner));
    }

    /// <summary>The next message in place, or Empty at once; also before the one before is acknowledged. Never logs in.
    /// </summary>
    /// <returns>Ok, or Empty, Closed, with an empty message.</returns>
    /// <exception cref="NativeException">The other side has written what is no message, or one whose number does not
    /// follow (<see cref="NativeStatus.Corrupt"/>): remove this conversation.</exception>
    public NativeStatus TryReceive(out NativeNamedMessage message)
    {
        using var use = new Use(_owner);
        NamedMessageData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_named_try_receive(Pointer, &data), _owner);
        return Taken(status, data, out message);
    }

    /// <summary>The next message in place, waiting for it. A client without a session logs in, unless it has
    /// <see cref="NativeNamedOptions.NoReconnect"/>; a server waits for its client to come back, whom
    /// <see cref="NativeNamedListener.Next"/> lets in: without another thread for that it waits for ever.</summary>
    /// <returns>Ok, or Timeout, Stopped, Cancelled, Closed, with an empty message; PeerClosed, PeerDied: everything is
    /// received, the other side has gone, and this one does not reconnect.</returns>
    /// <exception cref="NativeException">As <see cref="TryReceive"/>; the server refuses this client
    /// (<see cref="NativeStatus.Refused"/>), and the other errors of <c>ipc_named_receive</c>.</exception>
    public NativeStatus Receive(
        out NativeNamedMessage message, NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        NamedMessageData data = default;
        NativeStatus status = NativeMethods.ipc_named_receive(Pointer, deadline.Value, scope.Value, &data);
        return Taken(NativeError.Check(status, _owner), data, out message);
    }

    /// <summary>The messages up to that number are done: they never come again, and their payloads are the sender's.
    /// </summary>
    /// <param name="sequence">Of a message that was received; 0, or more than that: all that were.</param>
    public void Acknowledge(ulong sequence = 0)
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_named_acknowledge(Pointer, sequence);
        if (sequence == 0 || sequence >= _lastReceived)
            _owner.IsReadOut = false;
    }

    private NativeStatus Claimed(NativeStatus status, void* bytes, int length, out Span<byte> payload)
    {
        if (status == NativeStatus.Ok)
            _owner.IsClaimOut = true;
        payload = status == NativeStatus.Ok ? new Span<byte>(bytes, length) : default;
        return status;
    }

    /// <summary>A commit has ended the claim.</summary>
    private NativeStatus Ended(NativeStatus status)
    {
        if (status == NativeStatus.Ok)
            _owner.IsClaimOut = false;
        return status;
    }

    private NativeStatus Taken(NativeStatus status, scoped in NamedMessageData data, out NativeNamedMessage message)
    {
        message = default;
        if (status != NativeStatus.Ok)
            return status;
        _lastReceived = data.Sequence;
        _owner.IsReadOut = true;
        message = new NativeNamedMessage(data);
        return status;
    }

    private static uint Size(int length) =>
        length >= 0 ? (uint)length : throw new ArgumentOutOfRangeException(nameof(length));
}
