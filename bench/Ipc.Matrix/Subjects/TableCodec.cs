using System.Diagnostics;
using Ipc.Bench.Codec;

namespace Ipc.Matrix;

/// <summary>What <see cref="RpcTable"/> serializes, and nothing else: the table is written and read, in one thread.</summary>
internal sealed class TableCodec(int count) : Subject(count)
{
    private readonly Shape _shape = Shapes.Create(Shapes.Table);
    private object? _last;

    public override void Open(string name, Side side)
    {
    }

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            _shape.EncodeGenerated();
            _last = _shape.DecodeGenerated();
        }

        return Units.Convert(Nanoseconds(began, count), Unit.Nanoseconds, Unit.Microseconds);
    }

    public override void Dispose() => _last = null;
}
