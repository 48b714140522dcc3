using System;
using System.Threading;

namespace Ipc.Native;

/// <content>Who is there, numbers, and what never waits.</content>
public sealed unsafe partial class NativeTopicReader
{
    /// <summary>The next message, or Empty at once. May be called again before releasing (reads ahead).</summary>
    public NativeStatus TryRead(out NativeMessage message)
    {
        using var use = new Use(_owner);
        MessageData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_try_read(_reader, &data), _owner);
        if (status is NativeStatus.Ok or NativeStatus.Evicted)
            _owner.IsReadOut = true;
        message = status is NativeStatus.Ok or NativeStatus.Evicted ? new NativeMessage(data) : default;
        return status;
    }

    /// <summary>Waits until a message can be read, and does not read it.</summary>
    public NativeStatus Wait(NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_topic_wait(_reader, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Waits return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_topic_reader_stop(_reader);
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_topic_reader_resume(_reader);
    }

    /// <summary>Numbers of now.</summary>
    public NativeTopicInfo GetInfo()
    {
        using var use = new Use(_owner);
        TopicInfoData data;
        NativeMethods.ipc_topic_reader_get_info(_reader, &data);
        return new NativeTopicInfo(data);
    }

    /// <summary>The live participants, this one included.</summary>
    public NativeParticipant[] GetParticipants()
    {
        using var use = new Use(_owner);
        var data = new ParticipantInfoData[NativeMethods.ipc_topic_reader_participants(_reader, null, 0)];
        uint count;
        fixed (ParticipantInfoData* array = data)
            count = NativeMethods.ipc_topic_reader_participants(_reader, array, (uint)data.Length);
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
        NativeStatus status = NativeError.Check(NativeMethods.ipc_topic_reader_next_change(_reader, deadline.Value, scope.Value, &data), _owner);
        kind = (NativeChangeKind)data.Kind;
        participant = status == NativeStatus.Ok ? new NativeParticipant(data.Participant) : null;
        return status;
    }
}
