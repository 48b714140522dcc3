using System.IO;

namespace Ipc.Matrix;

/// <summary>A small request, a large response, copied once into a loan and once out of it.</summary>
internal sealed class RpcFetch(Figure figure, int bytes, int count) : RpcPair(figure, count)
{
    public override double Measure(int count)
    {
        Call operation = new(Bench, bytes);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
    }

    private readonly struct Call(IBench bench, int bytes) : IOperation
    {
        public void Run()
        {
            if (bench.Fetch(new FetchRequest(bytes)).Data.Length != bytes)
                throw new InvalidDataException("The response has another length.");
        }
    }
}
