using System.Threading;

namespace Ipc.Tool;

/// <summary>A lossy reader of a topic: no writer waits for it.</summary>
internal sealed class TopicSource(TopicReader topic) : MessageSource
{
    public override long Missed => topic.Lost;

    public override TappedMessage? Next(Deadline deadline, CancellationToken cancel)
    {
        IpcStatus status = topic.Read(out TopicMessage message, deadline, cancel);
        return status == IpcStatus.Ok
            ? new TappedMessage((ulong)message.Position, message.Type, message.Payload.ToArray()) { Key = message.Key, Writer = message.Writer }
            : Nothing(status, cancel);
    }

    public override void Release() => _ = topic.Release(); // what a lossy reader has is a copy

    public override void Dispose() => topic.Dispose();
}
