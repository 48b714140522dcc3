namespace Ipc;

/// <summary>A message: takes it, or only looks.</summary>
internal unsafe struct QueueDataCondition : IWaitCondition
{
    private readonly QueueReceiver _queue;
    private readonly bool _takes;
    private SlotHeader* _slot;
    private ulong _word;

    public QueueDataCondition(QueueReceiver queue, bool takes)
    {
        _queue = queue;
        _takes = takes;
        _slot = null;
        _word = 0;
    }

    public readonly SlotHeader* Slot => _slot;

    public readonly ulong Word => _word;

    public readonly ulong LongestSleep => ulong.MaxValue;

    public bool IsTrue() =>
        _takes ? _queue.TryTake(out _slot, out _word) : _queue.TryTakeSlow(takes: false, out _slot, out _word);

    public readonly IpcStatus PeerStatus()
    {
        _queue.Attend();
        return IpcStatus.Ok;
    }

    public readonly bool BeforeSleep() => true;
}
