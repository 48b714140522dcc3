using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>What the messages of a shape contain, and whether what came is that: another content for each number, so that a stale message is noticed.</summary>
internal sealed class Table
{
    private const int Kinds = 64;

    private readonly string[] _cells;
    private readonly List<string> _ids, _fields;
    private readonly int _values;

    public Table(Shape shape)
    {
        _cells = Enumerable.Range(0, Kinds).Select(kind => $"{100 + kind}.".PadRight(shape.ValueLength, (char)('0' + kind % 10))[..shape.ValueLength]).ToArray();
        _ids = Enumerable.Range(0, shape.Ids).Select(id => $"ID{id:000000}").ToList();
        _fields = Enumerable.Range(0, shape.Fields).Select(field => $"F{field:000}").ToList();
        _values = shape.Ids * shape.Fields;
    }

    public Query Query(long number) => new() { Number = number, Name = "quotes", Ids = _ids, Fields = _fields };

    public Google.Query GoogleQuery(long number) => new() { Number = number, Name = "quotes", Ids = { _ids }, Fields = { _fields } };

    public Answer Answer(long number, long stamp)
    {
        List<string> values = new(_values);
        Fill(values, number);
        return new Answer { Number = number, Stamp = stamp, Values = values };
    }

    public Google.Answer GoogleAnswer(long number, long stamp)
    {
        Google.Answer answer = new() { Number = number, Stamp = stamp };
        answer.Values.Capacity = _values;
        Fill(answer.Values, number);
        return answer;
    }

    public void CheckQuery(long number, long expected, string name, IList<string> ids, IList<string> fields)
    {
        if (number != expected || name != "quotes" || ids.Count != _ids.Count || fields.Count != _fields.Count)
            throw new InvalidDataException($"Request {expected}: '{name}' {number} with {ids.Count} ids and {fields.Count} fields came.");
        for (int i = 0; i < ids.Count; i++)
        {
            if (ids[i] != _ids[i])
                throw new InvalidDataException($"Request {expected}: '{ids[i]}' is id {i} instead of '{_ids[i]}'.");
        }

        for (int i = 0; i < fields.Count; i++)
        {
            if (fields[i] != _fields[i])
                throw new InvalidDataException($"Request {expected}: '{fields[i]}' is field {i} instead of '{_fields[i]}'.");
        }
    }

    public void CheckAnswer(long number, long expected, IList<string> values)
    {
        if (number != expected || values.Count != _values)
            throw new InvalidDataException($"Response {expected}: {number} with {values.Count} values came instead of {_values}.");
        for (int i = 0; i < values.Count; i++)
        {
            if (values[i] != Cell(expected, i))
                throw new InvalidDataException($"Response {expected}: '{values[i]}' is value {i} instead of '{Cell(expected, i)}'.");
        }
    }

    private string Cell(long number, int index) => _cells[(int)((number + index) % Kinds)];

    private void Fill(ICollection<string> values, long number)
    {
        for (int i = 0; i < _values; i++)
            values.Add(Cell(number, i));
    }
}
