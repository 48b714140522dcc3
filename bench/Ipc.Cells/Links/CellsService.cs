using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
using Ipc.Rpc;

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

    public Bytes Fetch(Bytes request) => new(Kept(Answer(request)));

    /// <summary>An answer may wait for others of its batch: it has bytes of its own.</summary>
    public ValueTask<Bytes> FetchAsync(Bytes request) => new(new Bytes(PooledBytes.CopyOf(Answer(request))));

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
            yield return new Bytes(Kept(raw.Response(first + i, Stopwatch.GetTimestamp())));
        await Task.CompletedTask;
    }

    private ReadOnlySpan<byte> Answer(Bytes request)
    {
        using PooledBytes data = request.Data;
        long number = BinaryPrimitives.ReadInt64LittleEndian(data.Span);
        RawCodec raw = Raw();
        raw.CheckRequest(data.Span, number);
        return raw.Response(number, 0);
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

    /// <summary>A copy in this thread's own bytes: sending does not keep them, so the next one takes the same.</summary>
    internal static PooledBytes Kept(ReadOnlySpan<byte> bytes)
    {
        if (t_kept.Length != bytes.Length)
        {
            t_kept.Dispose();
            t_kept = PooledBytes.Rent(bytes.Length);
        }

        bytes.CopyTo(t_kept.Span);
        return t_kept;
    }

    [ThreadStatic]
    private static PooledBytes t_kept;

    [ThreadStatic]
    private static RawCodec? t_raw;

    [ThreadStatic]
    private static Shape? t_shape;
}
