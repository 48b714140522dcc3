using System;
using System.Diagnostics;
using System.IO;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ipc.Matrix.Cells;

/// <summary>gRPC as it is: Grpc.AspNetCore's server, Grpc.Net.Client, unary calls and a stream of the server.</summary>
internal sealed class GrpcLink(bool isIpc) : HttpLink(isIpc)
{
    private readonly GrpcService _service = new();
    private GrpcChannel? _channel;
    private Google.Cells.CellsClient? _client;
    private Table? _table;

    public override void Prepare(Work work)
    {
        base.Prepare(work);
        _table = new Table(work.Shape);
        _service.Table = _table;
    }

    public override void Dispose()
    {
        _channel?.Dispose();
        base.Dispose();
    }

    protected override void Add(IServiceCollection services)
    {
        services.AddGrpc(static options => options.MaxReceiveMessageSize = options.MaxSendMessageSize = null);
        services.AddSingleton(_service);
    }

    protected override void Map(WebApplication server) => server.MapGrpcService<GrpcService>();

    protected override void Connect(HttpMessageHandler handler)
    {
        _channel = GrpcChannel.ForAddress("http://bench", new GrpcChannelOptions { HttpHandler = handler, DisposeHttpClient = true, MaxReceiveMessageSize = null, MaxSendMessageSize = null });
        _client = new Google.Cells.CellsClient(_channel);
    }

    protected override Task MeasureAsync(Work work, int count, Round round) => work.IsStream ? WatchAsync(work, count, round) : AskAsync(work, count, round);

    private async Task AskAsync(Work work, int count, Round round)
    {
        long number = work.Number, first = number + 1, end = first + count;
        for (; number < end; number++)
        {
            if (number == first)
                round.Begin();
            long began = Stopwatch.GetTimestamp();
            Google.Answer answer = await _client!.AskAsync(_table!.GoogleQuery(number), deadline: DateTime.UtcNow + Patience);
            _table.CheckAnswer(answer.Number, number, answer.Values);
            if (number >= first)
                round.Note(began);
        }

        round.End();
        work.Number = number;
    }

    private async Task WatchAsync(Work work, int count, Round round)
    {
        long number = work.Number, first = number + 1;
        using AsyncServerStreamingCall<Google.Answer> watch =
            _client!.Watch(new Google.Watching { Query = _table!.GoogleQuery(number), Count = count + 1 }, deadline: DateTime.UtcNow + (3 * Patience));
        while (await watch.ResponseStream.MoveNext(CancellationToken.None))
        {
            Google.Answer answer = watch.ResponseStream.Current;
            _table.CheckAnswer(answer.Number, number, answer.Values);
            if (number >= first)
                round.Note(answer.Stamp);
            number++;
            if (number == first)
                round.Begin();
        }

        if (number != first + count)
            throw new InvalidDataException($"{number - first} items came of {count}.");
        round.End();
        work.Number = number;
    }
}
