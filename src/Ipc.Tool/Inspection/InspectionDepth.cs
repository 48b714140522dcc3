namespace Ipc.Tool;

/// <summary>How much of a region is read.</summary>
internal enum InspectionDepth
{
    /// <summary>Counters, and a walk where it is short: for lists, and again and again.</summary>
    Quick,

    /// <summary>All that there is to see.</summary>
    Full,
}
