using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Ipc;

/// <summary>A named piece of shared memory with its participants. Twin of region.c; docs/wire-format.md section
/// 2.</summary>
/// <remarks>
/// <para>Three things make a region safe to find by name:</para>
/// <list type="bullet">
/// <item>It has its name only when it is complete: it is built in a file without a name and linked at the end,
/// replacing nothing (Region.Open.cs).</item>
/// <item>Who lives is known from the kernel: participant <i>i</i> holds the lock on byte <i>i</i> of the file, and the
/// kernel drops it with the process (Region.Participants.cs).</item>
/// <item>All that changes the table or the end of a region happens under one lock of the same sort, so its holder may
/// be killed too, and each step is such that whoever comes next can do it again.</item>
/// </list>
/// <para>The lock belongs to the open file, so two threads of this process that use the same <see cref="Region"/> would
/// both get it: a monitor comes first.</para>
/// </remarks>
internal sealed unsafe partial class Region : IWatchedRegion
{
    private const long RegionLock = 0x3FFFFFFFFFFFFFFF;

    /// <summary>How long to wait for a region lock: it is held for microseconds, unless its holder was
    /// stopped.</summary>
    private static readonly TimeSpan s_lockTimeout = TimeSpan.FromSeconds(5);

    private readonly object _sync = new(); // before the region lock, and around the closing of the file
    private readonly RegionFile _file;
    private readonly bool _hasParticipants;
    private bool _left;

    private Region(
        string name,
        string path,
        RegionShare share,
        RegionEntrance entrance,
        RegionFile file,
        MappedView view,
        in RegionGeometry geometry)
    {
        Share = share;
        Name = name;
        Path = path;
        Entrance = entrance;
        _file = file;
        View = view;
        Geometry = geometry;
        _hasParticipants = geometry.ParticipantCapacity > 0;
    }

    public string Name { get; }
    public string Path { get; }
    public MappedView View { get; }

    /// <summary>As what it was opened, and where its parts are.</summary>
    public RegionEntrance Entrance { get; }

    public RegionKind Kind => Entrance.Kind;

    /// <summary>What parts of it grow in; null in a region without participants, whose file is not kept open unless
    /// nothing grows without it.</summary>
    public RegionFile? File => _hasParticipants || Os.Current.PopulateNeedsFile ? _file : null;

    public RegionShare Share { get; }

    /// <summary>Whose file it is, by what the kernel says; null where users have no numbers.</summary>
    public uint? User => _file.User;

    public RegionGeometry Geometry { get; }
    public byte* Base => View.Base;
    public byte* Body => View.Base + Geometry.BodyOffset;
    public RegionHeader* Header => (RegionHeader*)View.Base;

    /// <summary>Our entry; -1 in a region without participants.</summary>
    public int Index { get; private set; } = -1;

    public ParticipantEntry* Entry(int index) =>
        (ParticipantEntry*)(View.Base + Geometry.ParticipantOffset + (ulong)index * ParticipantEntry.ByteSize);

    /// <summary>Takes the region lock; false after the deadline. Pair with <see cref="Unlock"/>.</summary>
    public bool TryLock(Deadline deadline)
    {
        // Cut to what Monitor takes: a thread of this process holds it no longer than the region lock itself.
        if (!Monitor.TryEnter(_sync, (int)Math.Min(deadline.Remaining.TotalMilliseconds, int.MaxValue)))
            return false;

        bool locked = false;
        try
        {
            for (int attempt = 0; !_left; attempt++)
            {
                locked = Os.Current.TryLock(_file, RegionLock);
                if (locked || deadline.HasPassed)
                    break;
                // The kernel would wait for the lock (F_OFD_SETLKW), but not until a deadline, nor until we leave; and
                // no word of the region says that it is free, because its holder may die. It is held for microseconds,
                // so it is mostly free at the next look.
                Thread.Sleep(attempt < 100 ? 0 : 1);
            }
        }
        finally
        {
            if (!locked)
                Monitor.Exit(_sync);
        }

        return locked;
    }

    /// <summary>Takes the region lock for a caller with a deadline and a token; one without a deadline has the usual
    /// timeout. Throws Timeout or Cancelled.</summary>
    public void Lock(Deadline deadline, CancellationToken cancellationToken)
    {
        if (deadline == Deadline.Now)
            deadline = Deadline.After(s_lockTimeout);
        while (!TryLock(Deadline.Earlier(deadline, Deadline.After(s_lockSlice))))
        {
            if (cancellationToken.IsCancellationRequested)
                Throw.Status(IpcStatus.Cancelled, $"Waiting for the lock of {Path} was cancelled.");
            if (deadline.HasPassed)
                ThrowLocked(Path);
        }
    }

    private void Lock(Deadline deadline)
    {
        if (!TryLock(Deadline.Earlier(deadline, Deadline.After(s_lockTimeout))))
            ThrowLocked(Path);
    }

    [DoesNotReturn]
    public static void ThrowLocked(string path) => Throw.Status(IpcStatus.Timeout,
        $"The lock of region {path} is held by a participant that is stopped, in a debugger perhaps: continue or end " +
        "that process.");

    /// <summary>Gives the region lock back.</summary>
    public void Unlock()
    {
        try
        {
            Os.Current.Unlock(_file, RegionLock);
        }
        finally
        {
            Monitor.Exit(_sync);
        }
    }

    /// <summary>Retires the region and removes its name, if it still has it. Under the region lock.</summary>
    private void RetireLocked()
    {
        bool isNamed = Os.Current.LeadsTo(Path, _file);
        // What is retired and has its name is to be removed by whoever comes next. Of a region of the machine not
        // everybody can: the name goes first, and whoever has opened it before finds that it leads elsewhere.
        if (Share.IsMachine && isNamed)
        {
            if (!Os.Current.TryUnlink(Path))
            {
                SignalAll();
                return;
            }

            FaultPoints.Pass(FaultPoints.RegionLeaveUnlinked);
        }

        Atomic.StoreRelease(ref Header->State, RegionHeader.Retired);
        FaultPoints.Pass(FaultPoints.RegionLeaveRetired);
        if (!Share.IsMachine && isNamed)
            Os.Current.Unlink(Path);
        SignalAll();
    }

    /// <summary>We can remove its name. If not it stays as it is: nobody but its owner and root ends it.</summary>
    private bool MayRemove => !Share.IsMachine || User == Os.Current.User || Os.Current.User == 0;

    /// <param name="what">Such as <c>was retired</c>.</param>
    [DoesNotReturn]
    private void ThrowNotOurs(string what) => Throw.Status(
        IpcStatus.AccessDenied, $"{Path} {what} and belongs to user {User}: only that user or root can remove it.");

    /// <summary>Its name still leads to it. Of a moment; false when it is left.</summary>
    public bool IsNamed
    {
        get
        {
            lock (_sync)
                return !_left && Os.Current.LeadsTo(Path, _file);
        }
    }

    /// <summary>Makes whoever sleeps anywhere in the region look again.</summary>
    public void SignalAll()
    {
        Waiter.SignalAlways(&Header->Change);
        Kind.Wake(this);
    }

    /// <summary>Of a connection, which is complete: closes the file, unless what grows needs it.</summary>
    public void CloseFileUnlessNeeded()
    {
        if (!Os.Current.PopulateNeedsFile)
            CloseFile();
    }

    /// <summary>Closes the file without unmapping. Idempotent.</summary>
    public void CloseFile()
    {
        lock (_sync)
        {
            _left = true;
            _file.Dispose();
        }
    }

    /// <summary>Unix time in ns.</summary>
    private static ulong UnixTime() =>
        (ulong)(DateTime.UtcNow - new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc)).Ticks * 100;
}
