using System;
using System.IO;

namespace Ipc.Matrix;

/// <summary>A synchronous call with some bytes, the same bytes back.</summary>
internal sealed class RpcEcho(Figure figure, int bytes, int count) : RpcPair(figure, count)
{
    private readonly Blob _request = new(new byte[bytes]);

    public override double Measure(int count)
    {
        Call operation = new(Bench, _request);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Figure.Unit);
    }

    private readonly struct Call(IBench bench, Blob request) : IOperation
    {
        public void Run()
        {
            if (bench.Echo(request).Data.Length != request.Data.Length)
                throw new InvalidDataException("The echo has another length.");
        }
    }
}
