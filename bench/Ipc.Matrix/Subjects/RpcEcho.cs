using System;
using System.IO;

namespace Ipc.Matrix;

/// <summary>A synchronous call with some bytes, the same bytes back.</summary>
internal sealed class RpcEcho(int bytes, WaitMode mode, Unit unit, int count) : RpcPair(mode, count)
{
    private readonly Blob _request = new(new byte[bytes]);

    public override double Measure(int count)
    {
        Call operation = new(Bench, _request);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, unit);
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
