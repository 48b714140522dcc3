using System.Collections.Generic;

namespace OfficeAddin.Xll;

/// <summary>What the host is told of a worksheet function.</summary>
/// <param name="Export">The entry point of this library.</param>
/// <param name="Name">What stands in a formula.</param>
/// <param name="Arguments">Their names, as the function wizard shows them.</param>
/// <param name="Count">How many arguments the entry point has.</param>
/// <param name="Help">One line for the function wizard.</param>
/// <param name="IsLive">Its values are fetched when they change, where the host can do that.</param>
/// <param name="LaterExport">The entry point that returns at once, has an argument more, and hands its result over later.</param>
internal sealed record WorksheetFunction(
    string Export, string Name, string Arguments, int Count, string Help, bool IsLive = false, string? LaterExport = null)
{
    private const int MostArgumentsOfGnumeric = 30;

    /// <summary>One line for each argument that the wizard names.</summary>
    public required IReadOnlyList<string> ArgumentHelp { get; init; }

    /// <summary>The entry point of this library that the host is to call.</summary>
    public string ExportFor(SpreadsheetHost host) => LaterExport is not null && host.HasLaterResults ? LaterExport : Export;

    /// <summary>
    /// The result and the arguments, a letter each: "P" is a value in the older layout, "Q" in the newer; "&gt;" says that there is no result, and "X" names the
    /// cell that gets it later. All are volatile ("!") unless the user does not want it: what a daemon knows changes without any cell of the sheet changing; but not
    /// those whose changes the host is told. "$" allows Excel to call it from several threads at once; live values are asked for on the main thread.
    /// Not "&amp;", which allows it to calculate the function on another machine, of a cluster: the daemon's memory is on this one.
    /// </summary>
    public string TypesFor(SpreadsheetHost host, bool hasLiveValues)
    {
        if (!host.IsExcel12)
            return new string('P', (host.IsGnumeric ? MostArgumentsOfGnumeric : Count) + 1) + "!";
        string values = new('Q', Count), how = Settings.IsVolatile ? "!$" : "$";
        if (LaterExport is not null && host.HasLaterResults)
            return ">" + values + "X" + how;
        return "Q" + values + (IsLive && hasLiveValues ? "" : how);
    }
}
