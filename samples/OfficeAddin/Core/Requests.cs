using System.Collections.Generic;

namespace OfficeAddin;

/// <summary>How any cells become one request: their ids and fields once each, and the cells as places in that table.</summary>
internal static class Requests
{
    public static GridRequest Of(IReadOnlyList<CellKey> cells)
    {
        var request = new GridRequest();
        var ids = new Dictionary<string, int>();
        var fields = new Dictionary<string, int>();
        foreach (CellKey cell in cells)
        {
            Number(cell.Id, ids, request.Ids);
            Number(cell.Field, fields, request.Fields);
        }
        request.Picks.Capacity = cells.Count;
        foreach (CellKey cell in cells)
            request.Picks.Add((ids[cell.Id] * fields.Count) + fields[cell.Field]);
        return request;
    }

    private static void Number(string text, Dictionary<string, int> numbers, List<string> texts)
    {
        if (numbers.ContainsKey(text))
            return;
        numbers.Add(text, texts.Count);
        texts.Add(text);
    }
}
