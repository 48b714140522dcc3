namespace Ipc.Tool;

/// <summary>A file that clean had an opinion on.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Kind">Of the region, if it is one.</param>
/// <param name="Action">What was done.</param>
/// <param name="Reason">Why.</param>
/// <param name="Memory">Bytes behind it.</param>
internal sealed record CleanResult(string Name, string? Kind, CleanAction Action, string Reason, long Memory);
