using System;

namespace Ipc.Matrix.Cells;

/// <summary>Two rings, one each way.</summary>
internal sealed class RingLink : ByteLink
{
    private RingWriter _writer = null!;
    private RingReader _reader = null!;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        RingOptions options = new() { WaitMode = wait, Capacity = Links.Capacity };
        string to = name + "-to", back = name + "-back";
        _writer = RingWriter.Open(side == Side.Measuring ? to : back, options);
        _reader = RingReader.Open(side == Side.Measuring ? back : to, options);
    }

    public override void Dispose()
    {
        _writer?.Dispose();
        _reader?.Dispose();
    }

    protected override void Send(ReadOnlySpan<byte> bytes, bool more) => Links.Send(_writer, bytes, more);

    protected override void Flush() => _writer.Flush();

    protected override ReadOnlySpan<byte> Receive() => Links.Receive(_reader);

    protected override void Release() => _reader.Release();
}
