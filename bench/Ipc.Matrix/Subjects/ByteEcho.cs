namespace Ipc.Matrix;

/// <summary>Some bytes, all of them, there and back over what the system offers.</summary>
internal sealed class ByteEcho<TChannel>(int size, int count) : Subject(count)
    where TChannel : class, IByteChannel, new()
{
    private readonly TChannel _channel = new();
    private readonly byte[] _bytes = new byte[size];

    public override void Open(string name, Side side) => _channel.Open(name, side);

    public override double Measure(int count)
    {
        RoundTrip operation = new(_channel, _bytes);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
    }

    public override void Answer(int count)
    {
        for (int i = 0; i <= count; i++)
        {
            _channel.Receive(_bytes);
            _channel.Send(_bytes);
        }
    }

    public override void Dispose() => _channel.Dispose();

    private readonly struct RoundTrip(TChannel channel, byte[] bytes) : IOperation
    {
        public void Run()
        {
            channel.Send(bytes);
            channel.Receive(bytes);
        }
    }
}
