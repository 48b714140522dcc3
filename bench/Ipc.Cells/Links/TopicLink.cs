using System;

namespace Ipc.Matrix.Cells;

/// <summary>Two topics, one each way, each with one reader for which the writer waits.</summary>
internal sealed class TopicLink : ByteLink
{
    private TopicWriter _writer = null!;
    private TopicReader _reader = null!;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        TopicOptions options = new() { WaitMode = wait, Lifetime = Lifetime.WhileUsed };
        string to = name + "-to", back = name + "-back";
        _reader = TopicReader.Open(side == Side.Measuring ? back : to, options, new TopicReaderOptions { Policy = TopicPolicy.Reliable });
        _writer = TopicWriter.Open(side == Side.Measuring ? to : back, options);
    }

    /// <summary>What is published before there is a reader, nobody gets.</summary>
    public override void Prepare(Work work) => Check(_writer.WaitForReaders(1, Deadline.After(Patience)));

    public override void Dispose()
    {
        _writer?.Dispose();
        _reader?.Dispose();
    }

    /// <summary>A topic publishes each message by itself.</summary>
    protected override void Send(ReadOnlySpan<byte> bytes, bool more)
    {
        if (!_writer.TryPublish(bytes, 1))
            Check(_writer.Publish(bytes, 1, 0, Deadline.After(Patience)));
    }

    protected override void Flush()
    {
    }

    protected override ReadOnlySpan<byte> Receive()
    {
        if (_reader.TryRead(out TopicMessage message) != IpcStatus.Ok)
            Check(_reader.Read(out message, Deadline.After(Patience)));
        return message.Payload;
    }

    protected override void Release() => Check(_reader.Release());
}
