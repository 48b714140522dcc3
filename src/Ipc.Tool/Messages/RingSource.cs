using System.Threading;

namespace Ipc.Tool;

/// <summary>The reader of a ring.</summary>
internal sealed class RingSource(RingReader ring) : MessageSource
{
    private ulong _count;

    public override bool Takes => true;

    public override TappedMessage? Next(Deadline deadline, CancellationToken cancel)
    {
        IpcStatus status = ring.Read(out RingRecord record, deadline, cancel);
        return status == IpcStatus.Ok
            ? new TappedMessage(_count++, record.Type, record.Payload.ToArray()) { Redelivered = record.Redelivered ? true : null }
            : Nothing(status, cancel);
    }

    public override void Release() => ring.Release();

    public override void Dispose() => ring.Dispose();
}
