using System.Threading;

namespace Ipc.Tool;

/// <summary>One of a queue's receivers.</summary>
internal sealed class QueueSource(SharedQueue queue) : MessageSource
{
    private QueueMessage _message;
    private bool _isHeld;
    private ulong _count;

    public override bool Takes => true;

    public override TappedMessage? Next(Deadline deadline, CancellationToken cancel)
    {
        IpcStatus status = queue.Receive(out _message, deadline, cancel);
        _isHeld = status == IpcStatus.Ok;
        return _isHeld
            ? new TappedMessage(_count++, _message.Type, _message.Payload.ToArray()) { Redelivered = _message.Redelivered ? true : null }
            : Nothing(status, cancel);
    }

    public override void Release()
    {
        if (_isHeld)
            _message.Release();
        _isHeld = false;
    }

    public override void Dispose() => queue.Dispose();
}
