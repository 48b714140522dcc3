using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>64 bytes there and back by a call, as a program makes it that sets no option.</summary>
internal sealed class PlainRpc(PlainRpc.Call how) : PlainEcho
{
    private readonly Blob _request = new(new byte[62]); // tag and length take two of the 64
    private RpcServer? _server;
    private RpcClient? _client;

    public enum Call
    {
        Sync,
        Async,
        Task, // a contract's method that returns a task; a hundred at once were made before
    }

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
            _server = RpcServer.Start(name, BenchRpc.Service(new BenchService()));
        else
            _client = RpcClient.Connect(name);
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }

    protected override void Run(long[] ticks)
    {
        IBench bench = BenchRpc.Client(_client!);
        if (how != Call.Sync)
            Task.Run(() => RunAsync(bench, ticks)).GetAwaiter().GetResult();
        else
            Run(bench, ticks);
    }

    private void Run(IBench bench, long[] ticks)
    {
        for (int i = 0; i < ticks.Length; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Check(bench.Echo(_request));
            ticks[i] = Stopwatch.GetTimestamp() - began;
        }
    }

    private async Task RunAsync(IBench bench, long[] ticks)
    {
        if (how == Call.Task)
        {
            await RunTasksAsync(bench, ticks);
            return;
        }

        for (int i = 0; i < ticks.Length; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Check(await bench.EchoAsync(_request));
            ticks[i] = Stopwatch.GetTimestamp() - began;
        }
    }

    private async Task RunTasksAsync(IBench bench, long[] ticks)
    {
        await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => RpcCaller.TaskOf(bench.EchoAsync(_request))));
        for (int i = 0; i < ticks.Length; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Check(await RpcCaller.TaskOf(bench.EchoAsync(_request)));
            ticks[i] = Stopwatch.GetTimestamp() - began;
        }
    }

    private void Check(Blob answer)
    {
        if (answer.Data.Length != _request.Data.Length)
            throw new InvalidDataException("The echo has another length.");
    }
}
