using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>Small calls on a connection that also carries a stream of pieces of 64 KiB; or alone, for comparison. Default options, any core: the value is the p99 of a
/// call. Where the stream has no processor for the time of a round, its calls go on until some pieces have come: p99 is of the last ones then.</summary>
internal sealed class RpcMixed(Figure figure, bool isAlone) : Subject(5_000)
{
    private const int Piece = 64 << 10;
    private const int PiecesOfARound = 8;
    private const int LongestRound = 100; // times the calls of one

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
            return P99(count, static _ => true);
        using CancellationTokenSource over = new();
        Volatile.Write(ref _pieces, 0);
        Task pulling = Task.Run(() => PullAsync(over.Token));
        SpinWait.SpinUntil(() => pulling.IsCompleted || Volatile.Read(ref _pieces) > 0);
        long enough = Volatile.Read(ref _pieces) + PiecesOfARound;
        double p99 = P99(count, calls => pulling.IsCompleted || Volatile.Read(ref _pieces) >= enough || calls >= (long)count * LongestRound);
        bool isMixed = Volatile.Read(ref _pieces) >= enough;
        over.Cancel();
        pulling.GetAwaiter().GetResult();
        return isMixed ? p99 : throw new InvalidDataException($"Fewer than {PiecesOfARound} pieces of the stream came beside {(long)count * LongestRound} calls.");
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }

    private double P99(int count, Func<long, bool> isEnough)
    {
        IBench bench = BenchRpc.Client(_client!);
        long[] ticks = Ticks ?? new long[count];
        for (long i = 0; i < count || !isEnough(i); i++)
        {
            long began = Stopwatch.GetTimestamp();
            Blob answer = bench.Echo(_request);
            ticks[i % count] = Stopwatch.GetTimestamp() - began;
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
