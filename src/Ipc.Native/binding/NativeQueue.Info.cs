using System;
using System.Threading;

namespace Ipc.Native;

/// <content>Who is there, numbers, and what never waits.</content>
public sealed unsafe partial class NativeQueue
{
    /// <summary>A block to be filled and then committed or abandoned, or Full at once.</summary>
    public NativeStatus TryClaim(int length, out NativeBlock block)
    {
        using var use = new Use(_owner);
        block = default;
        fixed (BlockData* data = &block.Data)
            return HandedOut(NativeError.Check(NativeMethods.ipc_queue_try_claim(_queue, checked((uint)length), data), _owner));
    }

    /// <summary>The next message in place, or Empty at once.</summary>
    public NativeStatus TryReceive(out NativeBlock block)
    {
        using var use = new Use(_owner);
        block = default;
        fixed (BlockData* data = &block.Data)
            return HandedOut(NativeError.Check(NativeMethods.ipc_queue_try_receive(_queue, data), _owner));
    }

    /// <summary>Waits until something can be received, without receiving it: another may be faster.</summary>
    public NativeStatus Wait(NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_queue_wait(_queue, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Gives the memory of loans that are not in use back to the system.</summary>
    public void TrimLoans()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_queue_trim_loans(_queue);
    }

    /// <summary>Waits return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_queue_stop(_queue);
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_queue_resume(_queue);
    }

    /// <summary>Numbers of now.</summary>
    public NativeQueueInfo GetInfo()
    {
        using var use = new Use(_owner);
        QueueInfoData data;
        NativeMethods.ipc_queue_get_info(_queue, &data);
        return new NativeQueueInfo(data);
    }

    /// <summary>The live participants, this one included.</summary>
    public NativeParticipant[] GetParticipants()
    {
        using var use = new Use(_owner);
        var data = new ParticipantInfoData[NativeMethods.ipc_queue_participants(_queue, null, 0)];
        uint count;
        fixed (ParticipantInfoData* array = data)
            count = NativeMethods.ipc_queue_participants(_queue, array, (uint)data.Length);
        var participants = new NativeParticipant[Math.Min(count, (uint)data.Length)]; // who has come in between is in the next list
        for (int i = 0; i < participants.Length; i++)
            participants[i] = new NativeParticipant(data[i]);
        return participants;
    }

    /// <summary>Waits for the next participant that has come, left or died: first everybody who is here. One thread at a time in this call.</summary>
    /// <returns>Ok, or Timeout, Stopped, Cancelled, Closed, without a participant.</returns>
    public NativeStatus NextChange(
        out NativeChangeKind kind, out NativeParticipant? participant, NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        ChangeData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_queue_next_change(_queue, deadline.Value, scope.Value, &data), _owner);
        kind = (NativeChangeKind)data.Kind;
        participant = status == NativeStatus.Ok ? new NativeParticipant(data.Participant) : null;
        return status;
    }
}
