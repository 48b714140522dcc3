using System;
using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>64 B one way over a Unix socket, one send each; the receiver takes what is there.</summary>
internal sealed class SocketOneWay(int count) : Subject(count)
{
    private const int Size = 64;

    private readonly UnixSocketBytes _channel = new();
    private readonly byte[] _bytes = new byte[65536];

    public override void Open(string name, Side side) => _channel.Open(name, side);

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
            _channel.Send(_bytes.AsSpan(0, Size));
        _channel.Receive(_bytes.AsSpan(0, 1)); // all has been read
        return 1000 / Nanoseconds(began, count);
    }

    public override void Answer(int count)
    {
        for (long left = (long)count * Size; left > 0;)
            left -= _channel.ReceiveSome(_bytes.AsSpan(0, (int)Math.Min(left, _bytes.Length)));
        _channel.Send(_bytes.AsSpan(0, 1));
    }

    public override void Dispose() => _channel.Dispose();
}
