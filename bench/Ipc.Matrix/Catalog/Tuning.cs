using System.Collections.Generic;
using System.Globalization;

namespace Ipc.Matrix;

/// <summary>What a row sets other than the library's defaults where its name does not say it: its mark, which the tables show.</summary>
/// <param name="ClientWait">How the clients of calls wait; their server waits as by default.</param>
/// <param name="ToClientCapacity">Bytes of a client's ring for answers and items.</param>
/// <param name="StreamWindow">Items of a stream that may wait at their consumer.</param>
/// <param name="Other">In words, what the programs set that know no calls.</param>
internal sealed record Tuning(WaitMode? ClientWait = null, long? ToClientCapacity = null, int? StreamWindow = null, string? Other = null)
{
    public override string ToString() => string.Join(", ", Words());

    private IEnumerable<string> Words()
    {
        if (ClientWait is { } wait)
            yield return $"clients wait by WaitMode.{wait}";
        if (ToClientCapacity is { } capacity)
            yield return string.Create(CultureInfo.InvariantCulture, $"a ring of {capacity >> 10} KiB to the client");
        if (StreamWindow is { } window)
            yield return string.Create(CultureInfo.InvariantCulture, $"a window of {window} items");
        if (Other is not null)
            yield return Other;
    }
}
