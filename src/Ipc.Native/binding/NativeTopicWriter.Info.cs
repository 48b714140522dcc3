using System;
using System.Threading;

namespace Ipc.Native;

/// <content>Who is there, numbers, and what never waits.</content>
public sealed unsafe partial class NativeTopicWriter
{
    /// <summary>A slot to be filled in place, or Full at once: nobody is waited for, and nobody evicted.</summary>
    public NativeStatus TryClaim(int length, out NativeBlock block)
    {
        using var use = new Use(_owner);
        block = default;
        fixed (BlockData* data = &block.Data)
        {
            NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_try_claim(_writer, checked((uint)length), data), _owner);
            _owner.IsClaimOut |= status == NativeStatus.Ok;
            return status;
        }
    }

    /// <summary>Gives the memory of loans that are not in use back to the system.</summary>
    public void TrimLoans()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_topic_writer_trim_loans(_writer);
    }

    /// <summary>Waits return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_topic_writer_stop(_writer);
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_topic_writer_resume(_writer);
    }

    /// <summary>Numbers of now.</summary>
    public NativeTopicInfo GetInfo()
    {
        using var use = new Use(_owner);
        TopicInfoData data;
        NativeMethods.ipc_topic_writer_get_info(_writer, &data);
        return new NativeTopicInfo(data);
    }

    /// <summary>The live participants, this one included.</summary>
    public NativeParticipant[] GetParticipants()
    {
        using var use = new Use(_owner);
        var data = new ParticipantInfoData[NativeMethods.ipc_topic_writer_participants(_writer, null, 0)];
        uint count;
        fixed (ParticipantInfoData* array = data)
            count = NativeMethods.ipc_topic_writer_participants(_writer, array, (uint)data.Length);
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
        NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_writer_next_change(_writer, deadline.Value, scope.Value, &data), _owner);
        kind = (NativeChangeKind)data.Kind;
        participant = status == NativeStatus.Ok ? new NativeParticipant(data.Participant) : null;
        return status;
    }
}
