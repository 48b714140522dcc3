using System.Diagnostics;
using Ipc.Bench.Codec;

namespace Ipc.Matrix;

/// <summary>Writing or reading one message, in one process: the generated codec, or Google.Protobuf for the same bytes.</summary>
internal sealed class CodecWork(string shape, bool encodes, bool google, int count) : Subject(count)
{
    private readonly Shape _shape = Shapes.Create(shape);
    private object? _last; // what was read, so that reading is not left out

    public override void Open(string name, Side side)
    {
    }

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            if (encodes)
                _ = google ? _shape.EncodeGoogle() : _shape.EncodeGenerated();
            else
                _last = google ? _shape.DecodeGoogle() : _shape.DecodeGenerated();
        }

        return Nanoseconds(began, count);
    }

    public override void Dispose() => _last = null;
}
