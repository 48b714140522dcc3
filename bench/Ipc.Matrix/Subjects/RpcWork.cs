using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>Clients that call synchronously, one call after another, a handler that computes for some microseconds: the time per call, of all calls together.</summary>
/// <remarks>No process is kept on a core here: how many of them the server makes use of is what this is about. The clients sleep while they wait, so that two cores are
/// enough for two handlers.</remarks>
internal sealed class RpcWork(Figure figure, int microseconds, int clients, int count) : Subject(count)
{
    private static readonly RpcMethod<RpcEmpty, RpcEmpty> s_method = new("bench.work.v1", "Work", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec);

    private readonly RpcClient[] _clients = new RpcClient[clients];
    private RpcServer? _server;

    public override bool IsPinned => false;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
        {
            _server = RpcServer.Start(name, CallOptions.Server(figure), new RpcService(s_method.Service, [RpcHandler.Unary(s_method, Work)]));
            return;
        }

        for (int i = 0; i < clients; i++)
            _clients[i] = RpcClient.Connect(name, CallOptions.Client(figure));
    }

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        Task[] callers = new Task[clients];
        for (int i = 0; i < clients; i++)
        {
            RpcClient client = _clients[i];
            Memory<long> ticks = Ticks is { } all ? all.AsMemory(i * (count / clients), count / clients) : default;
            callers[i] = Task.Factory.StartNew(() => Call(client, count / clients, ticks), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        Task.WaitAll(callers);
        return Stopwatch.GetElapsedTime(began).TotalMicroseconds / (count / clients * clients);
    }

    public override void Dispose()
    {
        foreach (RpcClient? client in _clients)
            client?.Dispose();
        _server?.Dispose();
    }

    /// <summary>Notes how long each call took, where there is room for it.</summary>
    private static void Call(RpcClient client, int count, Memory<long> ticks)
    {
        for (int i = 0; i < count; i++)
        {
            long began = Stopwatch.GetTimestamp();
            client.Call(s_method, default);
            if (!ticks.IsEmpty)
                ticks.Span[i] = Stopwatch.GetTimestamp() - began;
        }
    }

    private RpcEmpty Work(RpcEmpty request, CancellationToken cancel)
    {
        long end = Stopwatch.GetTimestamp() + microseconds * Stopwatch.Frequency / 1_000_000;
        while (Stopwatch.GetTimestamp() < end)
        {
        }

        return default;
    }
}
