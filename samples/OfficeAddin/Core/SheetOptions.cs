using System;

namespace OfficeAddin;

/// <summary>How long a sheet waits, and how new its values are.</summary>
public sealed class SheetOptions
{
    /// <summary>The longest time that one function waits for its daemon; 200 ms unless set.</summary>
    public TimeSpan Deadline { get; set; } = TimeSpan.FromMilliseconds(200);

    /// <summary>The longest time that a function waits which does not hold up its host; 5 s unless set.</summary>
    public TimeSpan PatientDeadline { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Whether cells that are asked for one by one are answered many at a time; <see langword="true"/> unless set.</summary>
    public bool Batching { get; set; } = true;

    /// <summary>
    /// How long the answer to one request serves the cells in it; 100 ms unless set. No value that a cell is given came from the daemon longer ago than
    /// this, and none was read by the daemon longer ago than this and <see cref="Deadline"/>.
    /// </summary>
    public TimeSpan Freshness { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How many cells one request of many asks for at most; 4096 unless set.</summary>
    public int BatchCells { get; set; } = 4096;

    /// <summary>For how long cells are #N/A without asking after a daemon was not there, which is found out quickly; 20 ms unless set.</summary>
    public TimeSpan AbsentPause { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>For how long cells are #N/A without asking after a daemon has used up <see cref="Deadline"/>; 1 s unless set. A thousand cells that wait one after another would
    /// freeze the sheet. After a table or a function of it has, only that one is.</summary>
    public TimeSpan SlowPause { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How often a daemon looks for changes of streamed cells; 100 ms unless set.</summary>
    public TimeSpan StreamInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a streamed cell is watched, and a service remembered, although nothing asks for it; 10 minutes unless set.</summary>
    public TimeSpan StreamMemory { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Who may end the waiting of a function before its time, which then is #N/A; <see langword="null"/>, nobody, unless set.</summary>
    public IUserBreak? Break { get; set; }

    /// <summary>What time it is, for freshness only: tests set it.</summary>
    internal Func<long> Now { get; set; } = static () => Clock.Now;
}
