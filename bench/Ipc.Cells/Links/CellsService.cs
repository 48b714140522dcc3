using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;

namespace Ipc.Matrix.Cells;

/// <summary>The server's side of <see cref="ICells"/>. A call says its number itself: calls of a batch may be answered in any order.</summary>
internal sealed class CellsService : ICells
{
    private Shape _shape = Shape.All[0];
    private Table _table = new(Shape.All[0]);

    public void Prepare(Work work)
    {
        _shape = work.Shape;
        _table = new Table(work.Shape);
    }

    public Answer Ask(Query query)
    {
        _table.CheckQuery(query.Number, query.Number, query.Name, query.Ids, query.Fields);
        return _table.Answer(query.Number, 0);
    }

    public ValueTask<Answer> AskAsync(Query query) => new(Ask(query));

    public Bytes Fetch(Bytes request)
    {
        long number = BinaryPrimitives.ReadInt64LittleEndian(request.Data);
        RawCodec raw = Raw();
        raw.CheckRequest(request.Data, number);
        return new Bytes(raw.Response(number, 0).ToArray());
    }

    public ValueTask<Bytes> FetchAsync(Bytes request) => new(Fetch(request));

    public async IAsyncEnumerable<Answer> Watch(Watching watching)
    {
        long first = Check(watching);
        for (int i = 0; i < watching.Count; i++)
            yield return _table.Answer(first + i, Stopwatch.GetTimestamp());
        await Task.CompletedTask;
    }

    public async IAsyncEnumerable<Bytes> Pull(Watching watching)
    {
        long first = Check(watching);
        RawCodec raw = Raw();
        for (int i = 0; i < watching.Count; i++)
            yield return new Bytes(raw.Response(first + i, Stopwatch.GetTimestamp()).ToArray());
        await Task.CompletedTask;
    }

    private long Check(Watching watching)
    {
        Query query = watching.Query;
        _table.CheckQuery(query.Number, query.Number, query.Name, query.Ids, query.Fields);
        return query.Number;
    }

    /// <summary>One for each thread: it writes into memory of its own.</summary>
    private RawCodec Raw()
    {
        if (t_raw is not { } raw || t_shape != _shape)
        {
            t_raw = raw = new RawCodec(_shape);
            t_shape = _shape;
        }

        return raw;
    }

    [System.ThreadStatic]
    private static RawCodec? t_raw;

    [System.ThreadStatic]
    private static Shape? t_shape;
}
