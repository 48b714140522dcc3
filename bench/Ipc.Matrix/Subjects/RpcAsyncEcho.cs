using System.IO;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>An asynchronous call with 64 bytes, awaited before the next.</summary>
internal sealed class RpcAsyncEcho(Figure figure, int count) : RpcPair(figure, count)
{
    private readonly Blob _request = new(new byte[62]);

    public override double Measure(int count) => Task.Run(() => MeasureAsync(count)).GetAwaiter().GetResult();

    private async Task<double> MeasureAsync(int count)
    {
        await CallAsync();
        if (Ticks is { } ticks)
        {
            for (int i = 0; i < count; i++)
            {
                long start = System.Diagnostics.Stopwatch.GetTimestamp();
                await CallAsync();
                ticks[i] = System.Diagnostics.Stopwatch.GetTimestamp() - start;
            }

            return 0;
        }

        long began = System.Diagnostics.Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
            await CallAsync();
        return Nanoseconds(began, count);
    }

    private async ValueTask CallAsync()
    {
        if ((await Bench.EchoAsync(_request)).Data.Length != _request.Data.Length)
            throw new InvalidDataException("The echo has another length.");
    }
}
