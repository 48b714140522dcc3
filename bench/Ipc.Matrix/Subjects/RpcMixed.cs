using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>Small calls on a connection that also carries a stream of pieces of 64 KiB; or alone, for comparison. Default options, any core: the value is the p99 of a
/// call.</summary>
internal sealed class RpcMixed(Figure figure, bool isAlone) : Subject(5_000)
{
    private const int Piece = 64 << 10;

    private readonly Blob _request = new(new byte[62]); // tag and length take two of the 64
    private RpcServer? _server;
    private RpcClient? _client;
    private long _pieces;

    public override bool IsPinned => false;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
            _server = RpcServer.Start(name, CallOptions.Server(figure), BenchRpc.Service(new BenchService()), BulkRpc.Service(new BulkService()));
        else
            _client = RpcClient.Connect(name, CallOptions.Client(figure));
    }

    public override double Measure(int count)
    {
        if (isAlone)
            return P99(count);
        using CancellationTokenSource over = new();
        Volatile.Write(ref _pieces, 0);
        Task pulling = Task.Run(() => PullAsync(over.Token));
        SpinWait.SpinUntil(() => pulling.IsCompleted || Volatile.Read(ref _pieces) > 0);
        long before = Volatile.Read(ref _pieces);
        double p99 = P99(count);
        long during = Volatile.Read(ref _pieces) - before;
        over.Cancel();
        pulling.GetAwaiter().GetResult();
        return during > 0 ? p99 : throw new InvalidDataException("No piece of the stream came beside the calls.");
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }

    private double P99(int count)
    {
        IBench bench = BenchRpc.Client(_client!);
        long[] ticks = Ticks ?? new long[count];
        for (int i = 0; i < count; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Blob answer = bench.Echo(_request);
            ticks[i] = Stopwatch.GetTimestamp() - began;
            if (answer.Data.Length != _request.Data.Length)
                throw new InvalidDataException("The echo has another length.");
        }

        Array.Sort(ticks);
        return Stopwatch.GetElapsedTime(0, ticks[(int)(count * 0.99)]).TotalMicroseconds;
    }

    private async Task PullAsync(CancellationToken over)
    {
        await foreach (Blob piece in BulkRpc.Client(_client!).Pull(new FetchRequest(Piece)))
        {
            if (piece.Data.Length != Piece || piece.Data[^1] != (byte)'x')
                throw new InvalidDataException("A piece of the stream is not what was sent.");
            Interlocked.Increment(ref _pieces);
            if (over.IsCancellationRequested)
                return;
        }
    }
}
