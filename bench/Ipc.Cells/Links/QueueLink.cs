using System;

namespace Ipc.Matrix.Cells;

/// <summary>Two queues, one each way.</summary>
internal sealed class QueueLink : ByteLink
{
    private SharedQueue _out = null!, _in = null!;
    private QueueMessage _message;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        QueueOptions options = new() { WaitMode = wait, Lifetime = Lifetime.WhileUsed };
        string to = name + "-to", back = name + "-back";
        _out = SharedQueue.Open(side == Side.Measuring ? to : back, options);
        _in = SharedQueue.Open(side == Side.Measuring ? back : to, options);
    }

    public override void Dispose()
    {
        _out?.Dispose();
        _in?.Dispose();
    }

    /// <summary>A queue publishes each message by itself.</summary>
    protected override void Send(ReadOnlySpan<byte> bytes, bool more)
    {
        if (!_out.TrySend(bytes, 1))
            Check(_out.Send(bytes, 1, Deadline.After(Patience)));
    }

    protected override void Flush()
    {
    }

    protected override ReadOnlySpan<byte> Receive()
    {
        if (!_in.TryReceive(out _message))
            Check(_in.Receive(out _message, Deadline.After(Patience)));
        return _message.Payload;
    }

    protected override void Release() => _message.Release();
}
