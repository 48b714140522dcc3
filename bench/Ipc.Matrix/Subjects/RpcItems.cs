using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>A stream of items of 64 bytes from the server, read by one consumer.</summary>
internal sealed class RpcItems(Figure figure, int count) : RpcPair(figure, count)
{
    public override double Measure(int count) => Task.Run(() => MeasureAsync(count)).GetAwaiter().GetResult();

    private async Task<double> MeasureAsync(int count)
    {
        int seen = 0;
        long began = Stopwatch.GetTimestamp();
        await foreach (Sample item in Bench.Watch(new WatchRequest(count)))
        {
            if (item.Sequence != (ulong)seen++)
                throw new InvalidDataException($"Item {seen - 1} has the number {item.Sequence}.");
        }

        if (seen != count)
            throw new InvalidDataException($"{seen} items came of {count}.");
        return count / Stopwatch.GetElapsedTime(began).TotalMicroseconds;
    }
}
