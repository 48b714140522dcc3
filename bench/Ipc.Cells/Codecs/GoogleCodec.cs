using System;
using Google.Protobuf;

namespace Ipc.Matrix.Cells;

/// <summary>Google.Protobuf, with the classes that protoc writes.</summary>
internal sealed class GoogleCodec(Shape shape) : Codec
{
    private readonly Table _table = new(shape);
    private byte[] _bytes = new byte[2 * shape.Response + 1024];

    public override ReadOnlySpan<byte> Request(long number) => Write(_table.GoogleQuery(number));

    public override void CheckRequest(ReadOnlySpan<byte> bytes, long number)
    {
        Google.Query query = Google.Query.Parser.ParseFrom(bytes);
        _table.CheckQuery(query.Number, number, query.Name, query.Ids, query.Fields);
    }

    public override ReadOnlySpan<byte> Response(long number, long stamp) => Write(_table.GoogleAnswer(number, stamp));

    public override long CheckResponse(ReadOnlySpan<byte> bytes, long number)
    {
        Google.Answer answer = Google.Answer.Parser.ParseFrom(bytes);
        _table.CheckAnswer(answer.Number, number, answer.Values);
        return answer.Stamp;
    }

    private Span<byte> Write(IMessage message)
    {
        int length = message.CalculateSize();
        if (_bytes.Length < length)
            _bytes = new byte[length];
        Span<byte> bytes = _bytes.AsSpan(0, length);
        message.WriteTo(bytes);
        return bytes;
    }
}
