using System.Diagnostics;
using System.Threading.Tasks;
using Grpc.Core;

namespace Ipc.Matrix.Cells;

/// <summary>The server's side of cells.proto.</summary>
internal sealed class GrpcService : Google.Cells.CellsBase
{
    public Table Table { get; set; } = new(Shape.All[0]);

    public override Task<Google.Answer> Ask(Google.Query request, ServerCallContext context)
    {
        Table.CheckQuery(request.Number, request.Number, request.Name, request.Ids, request.Fields);
        return Task.FromResult(Table.GoogleAnswer(request.Number, 0));
    }

    public override async Task Watch(Google.Watching request, IServerStreamWriter<Google.Answer> responseStream, ServerCallContext context)
    {
        Google.Query query = request.Query;
        Table.CheckQuery(query.Number, query.Number, query.Name, query.Ids, query.Fields);
        for (int i = 0; i < request.Count; i++)
            await responseStream.WriteAsync(Table.GoogleAnswer(query.Number + i, Stopwatch.GetTimestamp()), context.CancellationToken);
    }
}
