using System.Collections.Generic;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>Puts beside each row what its rival was in the same run.</summary>
internal static class Rivals
{
    public static List<Result> Beside(IReadOnlyList<Result> results) => [.. results.Select(result => With(result, results))];

    private static Result With(Result result, IReadOnlyList<Result> results)
    {
        Figure figure = result.Figure;
        if (figure.Rival is not null && figure.Rival == figure.Limit) // measured in turns with it
            return result with { RivalValue = result.LimitValue, RivalIsUnstable = result.LimitIsUnstable };
        return results.FirstOrDefault(other => other.Figure.Name == figure.Rival) is { Value: { } value } rival
            ? result with { RivalValue = Units.Convert(value, rival.Figure.Unit, figure.Unit), RivalIsUnstable = rival.IsUnstable }
            : result;
    }
}
