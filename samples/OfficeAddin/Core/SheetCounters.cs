namespace OfficeAddin;

/// <summary>What the functions of a sheet have asked of one service since they began.</summary>
public readonly struct SheetCounters
{
    internal SheetCounters(long functions, long requests, long cells, long failures)
    {
        Functions = functions;
        Requests = requests;
        Cells = cells;
        Failures = failures;
    }

    /// <summary>Calls of GET, GRID and CALC.</summary>
    public long Functions { get; }

    /// <summary>Requests that were sent for them: fewer, when they were answered many at a time.</summary>
    public long Requests { get; }

    /// <summary>Cells in those requests; a CALC counts as one.</summary>
    public long Cells { get; }

    /// <summary>Requests that brought no values.</summary>
    public long Failures { get; }
}
