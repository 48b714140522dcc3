using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>One client that has up to 64 calls of 64 bytes on their way: a call is sent as soon as the oldest has been answered.</summary>
internal sealed class RpcPipelined(Figure figure, int count) : RpcPair(figure, count)
{
    private const int Depth = 64;

    private readonly Blob _request = new(new byte[62]);
    private readonly ValueTask<Blob>[] _pending = new ValueTask<Blob>[Depth];

    public override double Measure(int count) => Task.Run(() => MeasureAsync(count)).GetAwaiter().GetResult();

    private async Task<double> MeasureAsync(int count)
    {
        await Bench.EchoAsync(_request);
        long began = Stopwatch.GetTimestamp();
#pragma warning disable CA2012 // each is awaited once, when its place is used again
        for (int i = 0; i < count; i++)
        {
            if (i >= Depth)
                Check(await _pending[i % Depth]);
            _pending[i % Depth] = Bench.EchoAsync(_request);
        }
#pragma warning restore CA2012

        for (int i = 0; i < Depth && i < count; i++)
            Check(await _pending[i]);
        return count / Stopwatch.GetElapsedTime(began).TotalMicroseconds;
    }

    private void Check(Blob response)
    {
        if (response.Data.Length != _request.Data.Length)
            throw new InvalidDataException("The echo has another length.");
    }
}
