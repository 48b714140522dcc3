namespace WorkQueue;

/// <summary>The types of the messages, the same in C++.</summary>
internal static class Job
{
    /// <summary>A file's name; in the results: name, lines and "first" or "again", with tabs between.</summary>
    public const ushort Work = 1;

    /// <summary>A worker that receives it ends.</summary>
    public const ushort Stop = 2;
}
