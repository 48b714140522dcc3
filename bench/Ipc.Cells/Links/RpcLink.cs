using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix.Cells;

/// <summary>Calls of <see cref="ICells"/>: synchronous ones in turn, asynchronous ones in a batch, items of a stream.</summary>
internal sealed class RpcLink : Link
{
    private CellsService? _service;
    private RpcServer? _server;
    private RpcClient? _client;
    private ICells? _cells;
    private Table? _table;
    private RawCodec? _raw;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        IpcSerializer? chosen = serializer switch
        {
            "protobuf-net" => new ProtobufNetIpcSerializer(),
            "messagepack" => new MessagePackIpcSerializer(),
            _ => null,
        };
        if (side == Side.Answering)
        {
            // A server that always spins would hold its core between rounds as well: where its client spins it spins while calls follow each other.
            RpcServerOptions options = new() { WaitMode = wait == WaitMode.Block ? WaitMode.Block : WaitMode.Adaptive, MaxRingCapacity = Links.Capacity };
            if (chosen is not null)
                options.Serializers.Add(chosen);
            _service = new CellsService();
            _server = RpcServer.Start(name, options, CellsRpc.Service(_service));
            return;
        }

        _client = RpcClient.Connect(name, new RpcClientOptions
        {
            WaitMode = wait,
            Serializer = chosen,
            ToClientCapacity = Links.Capacity,
            ToServerCapacity = Links.Capacity,
            ConnectTimeout = Patience,
            CallTimeout = Patience,
        });
        _cells = CellsRpc.Client(_client);
    }

    public override void Prepare(Work work)
    {
        _service?.Prepare(work);
        _table = new Table(work.Shape);
        _raw = new RawCodec(work.Shape);
    }

    public override void Measure(Work work, int count, Round round)
    {
        if (work.IsStream)
            Task.Run(() => WatchAsync(work, count, round)).GetAwaiter().GetResult();
        else if (work.Batch > 1)
            Task.Run(() => AskManyAsync(work, count, round)).GetAwaiter().GetResult();
        else
            AskInTurn(work, count, round);
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }

    private static bool IsRaw(Work work) => work.Cell.Serializer == "none";

    private void AskInTurn(Work work, int count, Round round)
    {
        long number = work.Number, first = number + 1, end = first + count;
        for (; number < end; number++)
        {
            if (number == first)
                round.Begin();
            long began = Stopwatch.GetTimestamp();
            if (IsRaw(work))
                Check(_cells!.Fetch(Request(number)), number);
            else
                Check(_cells!.Ask(_table!.Query(number)), number);
            if (number >= first)
                round.Note(began);
        }

        round.End();
        work.Number = number;
    }

    private async Task AskManyAsync(Work work, int count, Round round)
    {
        long number = work.Number, first = number + work.Batch, end = first + count;
        ValueTask<Answer>[] answers = new ValueTask<Answer>[work.Batch];
        ValueTask<Bytes>[] bytes = new ValueTask<Bytes>[work.Batch];
        while (number < end)
        {
            if (number == first)
                round.Begin();
            int batch = (int)Math.Min(work.Batch, end - number);
            long began = Stopwatch.GetTimestamp();
            Publish(work, number, batch, answers, bytes);
            for (int i = 0; i < batch; i++, number++)
            {
                if (IsRaw(work))
                    Check(await bytes[i], number);
                else
                    Check(await answers[i], number);
                if (number >= first)
                    round.Note(began);
            }
        }

        round.End();
        work.Number = number;
    }

    private void Publish(Work work, long number, int count, ValueTask<Answer>[] answers, ValueTask<Bytes>[] bytes)
    {
        using RpcBatch batch = _client!.Batch();
#pragma warning disable CA2012 // each is awaited once, by the caller
        for (int i = 0; i < count; i++)
        {
            if (IsRaw(work))
                bytes[i] = _cells!.FetchAsync(Request(number + i, isAlone: false));
            else
                answers[i] = _cells!.AskAsync(_table!.Query(number + i));
        }
#pragma warning restore CA2012
    }

    private async Task WatchAsync(Work work, int count, Round round)
    {
        long number = work.Number, first = number + 1, end = first + count;
        Watching watching = new() { Query = _table!.Query(number), Count = count + 1 };
        if (IsRaw(work))
        {
            await foreach (Bytes item in _cells!.Pull(watching))
                Note(Check(item, number));
        }
        else
        {
            await foreach (Answer item in _cells!.Watch(watching))
                Note(Check(item, number));
        }

        if (number != end)
            throw new InvalidDataException($"{number - first} items came of {count}.");
        round.End();
        work.Number = number;

        void Note(long stamp)
        {
            if (number >= first)
                round.Note(stamp);
            number++;
            if (number == first)
                round.Begin();
        }
    }

    /// <summary>A call of its own sends it before it returns; of several at a time each has bytes of its own.</summary>
    private Bytes Request(long number, bool isAlone = true) =>
        new(isAlone ? CellsService.Kept(_raw!.Request(number)) : PooledBytes.CopyOf(_raw!.Request(number)));

    private long Check(Bytes answer, long number)
    {
        using PooledBytes data = answer.Data;
        return _raw!.CheckResponse(data.Span, number);
    }

    private long Check(Answer answer, long number)
    {
        _table!.CheckAnswer(answer.Number, number, answer.Values);
        return answer.Stamp;
    }
}
