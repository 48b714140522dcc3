using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Ipc.Matrix.Cells;

/// <summary>Where figures are from, in sentences: without it a number means nothing.</summary>
internal static class Provenance
{
    public static IEnumerable<string> Lines(RunFile run)
    {
        yield return $"{run.Date}, {run.Machine}, kernel {run.Kernel}. " + Tables.Ending(run) + ".";
        yield return "Versions: " + string.Join(", ", run.Versions.Select(static version => $"{version.Key} {version.Value}")) + ".";
        yield return "Settings: " + string.Join("; ", run.Settings.Select(static setting => $"{setting.Key}: {setting.Value}")) + string.Create(CultureInfo.InvariantCulture, $"; seed {run.Seed}.");
        if (run.IsBusy)
            yield return new Load(run.LoadBefore).Remark;
        foreach (Failure failure in run.Failed)
            yield return $"Failed: {failure.Cell}: {failure.Reason}";
    }
}
