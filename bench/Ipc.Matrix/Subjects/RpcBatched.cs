using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>500 calls of 64 bytes published together, awaited together, and again.</summary>
internal sealed class RpcBatched(Figure figure, int count) : RpcPair(figure, count)
{
    private const int Portion = 500;

    private readonly Blob _request = new(new byte[62]);
    private readonly ValueTask<Blob>[] _pending = new ValueTask<Blob>[Portion];

    public override double Measure(int count) => Task.Run(() => MeasureAsync(count)).GetAwaiter().GetResult();

    private async Task<double> MeasureAsync(int count)
    {
        await Bench.EchoAsync(_request);
        long began = Stopwatch.GetTimestamp();
        for (int done = 0; done < count; done += Portion)
        {
            Send();
            for (int i = 0; i < Portion; i++)
            {
                if ((await _pending[i]).Data.Length != _request.Data.Length)
                    throw new InvalidDataException("The echo has another length.");
            }
        }

        return (count + Portion - 1) / Portion * Portion / Stopwatch.GetElapsedTime(began).TotalMicroseconds;
    }

    private void Send()
    {
        using RpcBatch batch = Client.Batch();
#pragma warning disable CA2012 // each is awaited once, by the caller
        for (int i = 0; i < Portion; i++)
            _pending[i] = Bench.EchoAsync(_request);
#pragma warning restore CA2012
    }
}
