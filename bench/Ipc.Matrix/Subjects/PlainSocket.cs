using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>64 bytes there and back over a Unix socket that blocks: what a plain program would take instead.</summary>
internal sealed class PlainSocket : PlainEcho
{
    private readonly UnixSocketBytes _channel = new();
    private readonly byte[] _bytes = new byte[64];

    public override void Open(string name, Side side) => _channel.Open(name, side);

    public override void Answer(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _channel.Receive(_bytes);
            _channel.Send(_bytes);
        }
    }

    public override void Dispose() => _channel.Dispose();

    protected override void Run(long[] ticks)
    {
        for (int i = 0; i < ticks.Length; i++)
        {
            long began = Stopwatch.GetTimestamp();
            _channel.Send(_bytes);
            _channel.Receive(_bytes);
            ticks[i] = Stopwatch.GetTimestamp() - began;
        }
    }
}
