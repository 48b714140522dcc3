using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipc.Matrix;

/// <summary>The rows that a script reads: a list of objects, one per figure that could be measured. Field names are stable.</summary>
internal static class ResultJson
{
    private static readonly JsonSerializerOptions s_options = new() { WriteIndented = true };

    public static void Write(string path, IEnumerable<Result> results)
    {
        Row[] rows = results.Where(result => result.Value is not null).Select(ToRow).ToArray();
        File.WriteAllText(path, JsonSerializer.Serialize(rows, s_options) + "\n");
    }

    private static Row ToRow(Result result) => new(result.Figure.Name, result.Value!.Value, result.Figure.Unit.Symbol(), result.LimitValue, result.Ratio,
        result.RivalValue is null ? null : result.Figure.Rival, result.RivalValue, result.Spread,
        result.IsUnstable ? "unstable" : !result.Figure.HasTarget ? null : result.Reached == true ? "reached" : "missed",
        result.LimitSpread, result.Figure.Tuned?.ToString(), Quantile(result, 0), Quantile(result, 1), Quantile(result, 2), Quantile(result, 3));

    private static double? Quantile(Result result, int which) => result.Quantiles is { } all && !double.IsNaN(all[which]) ? all[which] : null;

    private sealed record Row(
        [property: JsonPropertyName("name")] string Name,
        [property: JsonPropertyName("value")] double Value,
        [property: JsonPropertyName("unit")] string Unit,
        [property: JsonPropertyName("limit")] double? Limit,
        [property: JsonPropertyName("ratio")] double? Ratio,
        [property: JsonPropertyName("rival")] string? Rival,
        [property: JsonPropertyName("rival_value")] double? RivalValue,
        [property: JsonPropertyName("spread")] double? Spread,
        [property: JsonPropertyName("verdict")] string? Verdict,
        [property: JsonPropertyName("limit_spread")] double? LimitSpread,
        [property: JsonPropertyName("tuned")] string? Tuned,
        [property: JsonPropertyName("p50")] double? P50,
        [property: JsonPropertyName("p99")] double? P99,
        [property: JsonPropertyName("p999")] double? P999,
        [property: JsonPropertyName("max")] double? Max);
}
