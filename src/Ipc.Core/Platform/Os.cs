using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The operating system: everything that this library asks of it, and the only folder that does.</summary>
/// <remarks>
/// Linux and Windows have one each. The set is made so that macOS fits: files and whole-file locks per participant,
/// <c>os_sync_wait_on_address</c>; no membarrier there either, so sleepers set <c>fence_required</c>.
/// </remarks>
internal abstract unsafe class Os
{
    /// <summary>Bytes, in <see cref="Touch"/>.</summary>
    protected const ulong MostTouched = 4 << 20;

    private static readonly Os? s_current = Create();

    public static Os Current => s_current ?? throw NotHere();

    private static PlatformNotSupportedException NotHere() =>
        new(
            "This library runs on Linux (x64, arm64) and Windows (x64) so far; this is " +
            $"{RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}.");

    private static Os? Create()
    {
        Architecture architecture = RuntimeInformation.ProcessArchitecture;
        if (RuntimeInformation.IsOSPlatform(OSPlatform.Linux))
            return architecture is Architecture.X64 or Architecture.Arm64 ? new LinuxOs() : null;
        if (RuntimeInformation.IsOSPlatform(OSPlatform.Windows))
            return architecture is Architecture.X64 ? new WindowsOs() : null;
        return null;
    }

    // ---- time, processors, this process

    /// <summary>Nanoseconds of the clock that deadlines are in; the same for all processes (Linux:
    /// CLOCK_MONOTONIC).</summary>
    public abstract ulong Now();

    /// <summary>The number of the processor that this thread runs on; it may be another one by the time of the
    /// return.</summary>
    public abstract uint Processor();

    public abstract ProcessIdentity Self { get; }

    /// <summary>The process with that pid and start time runs. A dead one that nobody has reaped yet does
    /// not.</summary>
    public abstract bool IsRunning(int pid, ulong startTime);

    public abstract ProcessMonitor CreateProcessMonitor();

    /// <summary>The machine has: then nothing can happen while a thread spins. Where this process may run, or its
    /// container, says nothing about that: the peer may be pinned to, or be in a container of, other
    /// processors.</summary>
    public abstract bool HasOneProcessor { get; }

    /// <summary>Ends this process as a kill would, or stops it. For tests.</summary>
    public abstract void EndSelf(bool stop);

    /// <summary>Why that is no name of a region on this system, although it is made like one; null: it is.</summary>
    public virtual string? WhyNoName(string name) => null;

    // ---- sleeping

    /// <summary>Sleeps while the word is <paramref name="expected"/>, until woken or the deadline. May return
    /// early.</summary>
    /// <param name="word">In a region, or of this process alone.</param>
    /// <param name="asleep">Belongs to the word: where no kernel keeps a list of who sleeps, it is there. Null: the
    /// word is in no region.</param>
    /// <param name="expected">What it was.</param>
    /// <param name="deadline">Of <see cref="Now"/>.</param>
    public abstract void Sleep(uint* word, ulong* asleep, uint expected, ulong deadline);

    /// <summary>On how many words one thread can sleep at a time (<see cref="SleepOnAny"/>); 1: on one.</summary>
    public abstract int MaxSleepWords { get; }

    /// <summary>Sleeps while all of the words are what is expected of them, until woken at one of them or the deadline.
    /// May return early.</summary>
    public abstract void SleepOnAny(SleepWord* words, int count, ulong deadline);

    /// <summary>Fails when others can keep this process from sleeping in the region, whose id is known.</summary>
    /// <param name="file">The region's.</param>
    /// <param name="path">For the message.</param>
    /// <param name="offset">Of one of its waiters.</param>
    public virtual void CheckSleep(RegionFile file, string path, ulong offset)
    {
    }

    /// <summary>For loops that wait for descriptors; null where there is no such thing.</summary>
    public virtual OsEvent? CreateEvent() => null;

    /// <summary>Wakes every process that sleeps on the word, which has been changed. Arguments as for
    /// <see cref="Sleep"/>.</summary>
    public abstract void Wake(uint* word, ulong* asleep);

    /// <summary>This process takes part in the asymmetric fence: its publishers need none of their own.</summary>
    public abstract bool CanFenceOthers { get; }

    /// <summary>No process of this system takes part, so all publishers fence, and no sleeper has to ask for
    /// it.</summary>
    public virtual bool EverybodyFences => false;

    /// <summary>Every running thread of every process that takes part executes a full barrier before this returns;
    /// false: the system refuses it, now (a filter may be installed late).</summary>
    public abstract bool TryFenceOthers();

    /// <summary>The same for the threads of this process alone; false when the system cannot.</summary>
    public abstract bool TryFenceThisProcess();

    // ---- region files

    /// <summary>The directory of region files; made if absent, refused if others can write to it.</summary>
    public abstract string RegionDirectory();

    /// <summary>The directory of the regions of the whole machine; made if absent, refused if somebody other than its
    /// owner, root and the owner of a file could remove that file from it.</summary>
    public virtual string MachineDirectory()
    {
        Throw.Status(
            IpcStatus.InvalidArgument,
            "Regions of the machine are not there on this system: all who meet are one user here. Use a name without " +
            "machine/.");
        return "";
    }

    /// <summary>As whom this process makes files; null where users have no numbers.</summary>
    public virtual uint? User => null;

    /// <summary>Whose file a name leads to; null: nobody's, or it is no file.</summary>
    public virtual uint? UserOf(string path) => null;

    /// <summary>Lets others open a file that has no name yet.</summary>
    public virtual void Share(RegionFile file, Access access, string directory)
    {
    }

    /// <summary>Nobody can open it but its owner, this process's user and root.</summary>
    public virtual bool IsPrivate(RegionFile file) => true;

    /// <summary>The names of the files in it.</summary>
    public virtual IEnumerable<string> NamesIn(string directory) =>
        Directory.EnumerateFiles(directory).Select(static path => Path.GetFileName(path));

    /// <summary>A file without a name. The pages of the ranges are reserved (any may be empty), the others are
    /// holes.</summary>
    public abstract RegionFile CreateFile(string directory, long size, FileRange[] reserved);

    /// <summary><see cref="Populate"/> needs nothing but the mapping.</summary>
    public virtual bool PopulatesByMapping => false;

    /// <summary><see cref="Populate"/> needs the file of the region, open.</summary>
    public virtual bool PopulateNeedsFile => false;

    /// <summary>Makes part of a mapped region present: memory is behind it until it is given back, and no store there
    /// can fail. Zeros, where there was none.</summary>
    /// <param name="file">Its file, for systems that cannot do it by the mapping; null: not at hand.</param>
    /// <param name="start">The mapping.</param>
    /// <param name="offset">From the start, a multiple of 4096.</param>
    /// <param name="length">A multiple of 4096.</param>
    /// <returns>False: no memory, or the file system is full.</returns>
    public abstract bool Populate(RegionFile? file, byte* start, ulong offset, ulong length);

    /// <summary>Enters pages that have memory behind them into this process's tables, <see cref="MostTouched"/> bytes
    /// of them at most: met one by one they cost a fault each, and a message that meets one takes several times its
    /// time. A hint: where it cannot be done nothing is.</summary>
    public abstract void Touch(byte* start, ulong length);

    /// <summary>Takes the memory from behind part of a region; it reads as zeros then. Arguments as for
    /// <see cref="Populate"/>.</summary>
    /// <returns>False: it stays. Memory that somebody has locked does (<c>mlockall</c>), and that of a file system
    /// which knows no holes.</returns>
    public abstract bool GiveBackPages(byte* start, ulong offset, ulong length);

    /// <summary>Puts empty memory of this process alone in the place of a mapping: its addresses stay valid and cost
    /// nothing. Where that fails the mapping stays.</summary>
    public abstract void Vacate(byte* start, ulong length);

    /// <summary>Maps all of a file, shared. What is returned unmaps it when it is disposed, and only
    /// then.</summary>
    public abstract SafeBuffer Map(RegionFile file, long size, out byte* start);

    /// <summary>Gives the file its name; false when the name is taken.</summary>
    public abstract bool TryLink(RegionFile file, string path);

    /// <summary>A name that another file has can be given to this one.</summary>
    public abstract bool CanReplace { get; }

    /// <summary>Gives the file a name that another one has, which loses it; nobody finds neither.</summary>
    /// <param name="file">The file.</param>
    /// <param name="between">A name for a moment; that of a file with which somebody was killed is removed.</param>
    /// <param name="path">The name.</param>
    public abstract void Replace(RegionFile file, string between, string path);

    /// <summary>Opens for reading and writing, without following links; null when there is none.</summary>
    public abstract RegionFile? OpenFile(string path);

    /// <summary>Opens for reading only, without following links or waiting for anybody: to look at a region without
    /// joining it. Null when there is none.</summary>
    public abstract RegionFile? OpenFileToLook(string path);

    /// <summary>Removes the name if there is one.</summary>
    public abstract void Unlink(string path);

    /// <summary>The same; false: it is there, and not for this process to remove.</summary>
    public virtual bool TryUnlink(string path)
    {
        Unlink(path);
        return true;
    }

    /// <summary>Copies bytes of a file without mapping them: holes read as zeros and stay holes.</summary>
    public abstract void ReadFile(RegionFile file, ulong offset, byte* to, int count);

    public abstract bool LeadsTo(string path, RegionFile file);

    // ---- locks that die with the process

    /// <summary>One byte, for this open file; false: another has it.</summary>
    public abstract bool TryLock(RegionFile file, long position);
    public abstract void Unlock(RegionFile file, long position);
    public abstract bool IsLockedByAnother(RegionFile file, long position);

    // ---- the places of a region's participants: whose place is taken, lives

    /// <summary>Takes a place until it is given back, the file is closed or the process ends; false: another open file
    /// has it.</summary>
    public abstract bool TryTakePlace(RegionFile file, int index);

    /// <summary>Tells others which process has the place that was taken, where the kernel can say so.</summary>
    public abstract void SignPlace(RegionFile file, int index);

    public abstract void GiveBackPlace(RegionFile file, int index);

    /// <summary>Another open file has it.</summary>
    public abstract bool IsPlaceTaken(RegionFile file, int index);

    /// <summary>Who has a place that is taken, as the kernel says; null: it does not know. The pid name space is ours
    /// or 0, another's.</summary>
    public abstract ProcessIdentity? HolderOf(RegionFile file, int index);
}
