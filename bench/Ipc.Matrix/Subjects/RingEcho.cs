namespace Ipc.Matrix;

/// <summary>64 B there and back through two rings; both sides copy.</summary>
internal sealed class RingEcho(WaitMode mode, Unit unit, int count) : Subject(count)
{
    private RingEnds _ends = null!;

    public override void Open(string name, Side side) => _ends = new RingEnds(name, side, mode);

    public override double Measure(int count)
    {
        RoundTrip operation = new(_ends);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, unit);
    }

    public override void Answer(int count)
    {
        for (int i = 0; i <= count; i++)
        {
            _ends.ReceiveSmall();
            _ends.SendSmall();
        }
    }

    public override void Dispose() => _ends?.Dispose();

    private readonly struct RoundTrip(RingEnds ends) : IOperation
    {
        public void Run()
        {
            ends.SendSmall();
            ends.ReceiveSmall();
        }
    }
}
