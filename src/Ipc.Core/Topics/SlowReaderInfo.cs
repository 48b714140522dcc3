using System.Globalization;

namespace Ipc;

/// <summary>The reader that held a writer up.</summary>
public sealed class SlowReaderInfo
{
    internal SlowReaderInfo(int index, int processId, long behind)
    {
        Index = index;
        ProcessId = processId;
        Behind = behind;
    }

    /// <summary>Its place in the topic.</summary>
    public int Index { get; }

    /// <summary>Its process, as it said itself.</summary>
    public int ProcessId { get; }

    /// <summary>How many messages it had not released.</summary>
    public long Behind { get; }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Format(
            CultureInfo.InvariantCulture, "reader {0} (process {1}) is {2} messages behind", Index, ProcessId, Behind);
}
