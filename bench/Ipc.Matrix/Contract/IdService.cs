using System.Collections.Generic;

namespace Ipc.Matrix;

/// <summary>The server's side of <see cref="IIds"/>: the values are known, so that what is measured is their way.</summary>
internal sealed class IdService : IIds
{
    public const int Fields = 10;

    private readonly string[] _cells = new string[512];

    public IdService()
    {
        for (int i = 0; i < _cells.Length; i++)
            _cells[i] = $"{100 + i}.{i % 100:00}";
    }

    public static IdRequest Request(int ids)
    {
        IdRequest request = new("quotes", [], []);
        for (int i = 0; i < ids; i++)
            request.Ids.Add($"ID{i:00000}");
        for (int i = 0; i < Fields; i++)
            request.Fields.Add($"F{i:00}");
        return request;
    }

    public IdValues Read(IdRequest request)
    {
        List<string> values = new(request.Ids.Count * request.Fields.Count);
        for (int i = 0; i < request.Ids.Count; i++)
        {
            for (int j = 0; j < request.Fields.Count; j++)
                values.Add(_cells[(i + j) % _cells.Length]);
        }

        return new IdValues(values);
    }
}
