using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>64 bytes there and back by a call, as a program makes it that sets no option.</summary>
internal sealed class PlainRpc(bool isAsync, double quantile) : PlainEcho(quantile)
{
    private readonly Blob _request = new(new byte[62]); // tag and length take two of the 64
    private RpcServer? _server;
    private RpcClient? _client;

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
        if (isAsync)
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
        for (int i = 0; i < ticks.Length; i++)
        {
            long began = Stopwatch.GetTimestamp();
            Check(await bench.EchoAsync(_request));
            ticks[i] = Stopwatch.GetTimestamp() - began;
        }
    }

    private void Check(Blob answer)
    {
        if (answer.Data.Length != _request.Data.Length)
            throw new InvalidDataException("The echo has another length.");
    }
}
