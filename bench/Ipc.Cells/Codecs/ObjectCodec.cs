using System;
using System.Buffers;

namespace Ipc.Matrix.Cells;

/// <summary>A serializer that takes <see cref="Query"/> and <see cref="Answer"/> as they are.</summary>
internal abstract class ObjectCodec(Shape shape) : Codec
{
    private readonly Table _table = new(shape);
    private readonly ArrayBufferWriter<byte> _bytes = new(2 * shape.Response + 1024);

    public sealed override ReadOnlySpan<byte> Request(long number)
    {
        _bytes.ResetWrittenCount();
        Write(_bytes, _table.Query(number));
        return _bytes.WrittenSpan;
    }

    public sealed override void CheckRequest(ReadOnlySpan<byte> bytes, long number)
    {
        Query query = Read<Query>(bytes);
        _table.CheckQuery(query.Number, number, query.Name, query.Ids, query.Fields);
    }

    public sealed override ReadOnlySpan<byte> Response(long number, long stamp)
    {
        _bytes.ResetWrittenCount();
        Write(_bytes, _table.Answer(number, stamp));
        return _bytes.WrittenSpan;
    }

    public sealed override long CheckResponse(ReadOnlySpan<byte> bytes, long number)
    {
        Answer answer = Read<Answer>(bytes);
        _table.CheckAnswer(answer.Number, number, answer.Values);
        return answer.Stamp;
    }

    protected abstract void Write<T>(ArrayBufferWriter<byte> destination, T message)
        where T : class;

    protected abstract T Read<T>(ReadOnlySpan<byte> bytes)
        where T : class;
}
