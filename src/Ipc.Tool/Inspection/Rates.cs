using System.Collections.Generic;
using System.Linq;

namespace Ipc.Tool;

/// <summary>Rates, from two looks at the same regions.</summary>
internal static class Rates
{
    /// <summary>Writes them into the later reports. A region that was replaced in between has none.</summary>
    public static void Apply(IEnumerable<RegionReport> earlier, IEnumerable<RegionReport> later)
    {
        Dictionary<string, RegionReport> before = earlier.ToDictionary(static report => report.Name);
        foreach (RegionReport report in later)
        {
            if (report.Counters is not null && before.TryGetValue(report.Name, out RegionReport? old) && old.Counters is not null)
                report.Rate = report.Counters.Since(old.Counters);
        }
    }
}
