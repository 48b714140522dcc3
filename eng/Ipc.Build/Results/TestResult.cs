using System;

namespace Ipc.Build.Results;

/// <summary>One test of a result file.</summary>
/// <param name="Name"><c>Namespace.Class.Method</c> of C#, the name of CTest's.</param>
/// <param name="Shown">How its runner shows it: with its arguments.</param>
/// <param name="Outcome">How it ended.</param>
/// <param name="Reason">Why it was skipped.</param>
internal sealed record TestResult(string Name, string Shown, Outcome Outcome, string Reason)
{
    /// <summary>What stands before the last dot.</summary>
    public string Class => Name[..Math.Max(0, Name.LastIndexOf('.'))];
}
