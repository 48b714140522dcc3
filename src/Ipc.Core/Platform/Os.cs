using System;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The operating system: everything that this library asks of it, and the only folder that does.</summary>
/// <remarks>
/// The set is made so that the others fit. Windows: <see cref="CreateFile"/> is a named section with an explicit
/// security descriptor, its name published by the state word; locks are named mutexes, which the kernel abandons with
/// their owner; <see cref="Sleep"/> finds the named event of a word by the region that its address lies in. macOS:
/// files and whole-file locks per participant, <c>os_sync_wait_on_address</c>. Neither has membarrier: sleepers set
/// <c>fence_required</c> there.
/// </remarks>
internal abstract unsafe class Os
{
    /// <summary>Bytes, in <see cref="Touch"/>.</summary>
    protected const ulong MostTouched = 4 << 20;

    private static readonly Os? s_current = IsSupported ? new LinuxOs() : null;

    public static Os Current => s_current ?? throw NotHere();

    private static PlatformNotSupportedException NotHere() =>
        new(
            $"This library runs on Linux (x64, arm64) so far; this is {RuntimeInformation.OSDescription}, " +
            $"{RuntimeInformation.ProcessArchitecture}.");

    private static bool IsSupported =>
        RuntimeInformation.IsOSPlatform(OSPlatform.Linux) &&
        RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

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

    // ---- sleeping

    /// <summary>Sleeps while the word is <paramref name="expected"/>, until woken or the deadline. May return
    /// early.</summary>
    public abstract void Sleep(uint* word, uint expected, ulong deadline);

    /// <summary>On how many words one thread can sleep at a time (<see cref="SleepOnAny"/>); 1: on one.</summary>
    public abstract int MaxSleepWords { get; }

    /// <summary>Sleeps while all of the words are what is expected of them, until woken at one of them or the deadline.
    /// May return early.</summary>
    public abstract void SleepOnAny(SleepWord* words, int count, ulong deadline);

    /// <summary>Wakes every process that sleeps on the word.</summary>
    public abstract void Wake(uint* word);

    /// <summary>This process takes part in the asymmetric fence: its publishers need none of their own.</summary>
    public abstract bool CanFenceOthers { get; }

    /// <summary>Every running thread of every process that takes part executes a full barrier before this returns;
    /// false: the system refuses it, now (a filter may be installed late).</summary>
    public abstract bool TryFenceOthers();

    /// <summary>The same for the threads of this process alone; false when the system cannot.</summary>
    public abstract bool TryFenceThisProcess();

    // ---- region files

    /// <summary>The directory of region files; made if absent, refused if others can write to it.</summary>
    public abstract string RegionDirectory();

    /// <summary>A file without a name. The pages of two ranges are reserved (either may be empty), the others are
    /// holes.</summary>
    public abstract RegionFile CreateFile(string directory, long size, in FileRange first, in FileRange second);

    /// <summary>Makes part of a mapped region present: memory is behind it until it is given back, and no store there
    /// can fail. Zeros, where there was none.</summary>
    /// <param name="file">Its file, for systems that cannot do it by the mapping; null: not at hand.</param>
    /// <param name="start">The mapping.</param>
    /// <param name="offset">From the start, a multiple of 4096.</param>
    /// <param name="length">A multiple of 4096.</param>
    /// <returns>False: no memory, or the file system is full.</returns>
    public abstract bool Populate(RegionFile? file, byte* start, ulong offset, ulong length);

    /// <summary>Enters pages that have memory behind them into this process's tables, <see cref="MostTouched"/> bytes of
    /// them at most: met one by one they cost a fault each, and a message that meets one takes several times its time. A
    /// hint: where it cannot be done nothing is.</summary>
    public abstract void Touch(byte* start, ulong length);

    /// <summary>Takes the memory from behind part of a region; it reads as zeros then. Arguments as for
    /// <see cref="Populate"/>.</summary>
    /// <returns>False: it stays. Memory that somebody has locked does (<c>mlockall</c>), and that of a file system
    /// which knows no holes.</returns>
    public abstract bool GiveBackPages(byte* start, ulong offset, ulong length);

    /// <summary>Puts empty memory of this process alone in the place of a mapping: its addresses stay valid and cost
    /// nothing. Where that fails the mapping stays.</summary>
    public abstract void Vacate(byte* start, ulong length);

    /// <summary>Gives the file its name; false when the name is taken.</summary>
    public abstract bool TryLink(RegionFile file, string path);

    /// <summary>Opens for reading and writing, without following links; null when there is none.</summary>
    public abstract RegionFile? OpenFile(string path);

    /// <summary>Opens for reading only, without following links or waiting for anybody: to look at a region without
    /// joining it. Null when there is none.</summary>
    public abstract RegionFile? OpenFileToLook(string path);

    /// <summary>Removes the name if there is one.</summary>
    public abstract void Unlink(string path);

    /// <summary>Copies bytes of a file without mapping them: holes read as zeros and stay holes.</summary>
    public abstract void ReadFile(RegionFile file, ulong offset, byte* to, int count);

    public abstract bool LeadsTo(string path, RegionFile file);

    // ---- locks that die with the process

    public bool TryLock(RegionFile file, long position) => TryLock(file, new FileRange((ulong)position, 1));
    public void Unlock(RegionFile file, long position) => Unlock(file, new FileRange((ulong)position, 1));
    public abstract bool IsLockedByAnother(RegionFile file, long position);

    /// <summary>Locks a range, of which others see where it begins and how long it is.</summary>
    public abstract bool TryLock(RegionFile file, in FileRange range);
    public abstract void Unlock(RegionFile file, in FileRange range);

    /// <summary>A lock that another open file has within the range, cut to it; of size 0: there is none.</summary>
    public abstract FileRange FindLock(RegionFile file, in FileRange range);
}
