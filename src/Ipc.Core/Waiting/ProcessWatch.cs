using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Notices the death of peers: one background thread for the whole process, only while there is somebody to
/// watch.</summary>
/// <remarks>
/// The kernel reports the end of a process through its pidfd at once and for nothing. Where pidfd is not allowed, or
/// the peer lives in another pid name space, the thread asks the region's locks four times a second instead. What it
/// then does is <see cref="IWatchedRegion.TryRecover"/>, which never blocks: a region whose lock is held is asked again
/// 10 ms later, so a stopped participant of one region holds up no other; one whose recovery failed is asked again with
/// the locks. The end of a process is no proof that its participant's lock is free (a child that it forked may have
/// it): until the region has let go of it, it is asked by its locks, too. Where not even the thread can be started
/// (.NET needs descriptors for that), whoever waits does its work, four times a second (<see cref="LookAround"/>).
/// </remarks>
internal static class ProcessWatch
{
    /// <summary>ms; who waits without the thread looks around as often.</summary>
    public const int PollInterval = 250;

    private const int RetryInterval = 10;

    private static readonly object s_sync = new();
    private static readonly Dictionary<(int Pid, ulong StartTime, ulong PidNamespace), Watched> s_processes = new();
    private static readonly HashSet<IWatchedRegion> s_due = new();
    private static readonly HashSet<IWatchedRegion> s_failed = new(); // asked again every PollInterval
    private static ProcessMonitor? s_monitor; // not null: the thread runs
    private static int s_lastToken;
    private static int s_withoutThread; // 1: it could not be started

    private sealed class Watched
    {
        public Watched(int token) => Token = token;
        public int Token { get; set; } // 0: by its locks
        public HashSet<IWatchedRegion> Regions { get; } = new();
    }

    /// <summary>From now on the region is told when the process ends; told soon if it has already.</summary>
    public static void Watch(in ProcessIdentity process, IWatchedRegion region)
    {
        lock (s_sync)
        {
            if (s_processes.TryGetValue((process.Pid, process.StartTime, process.PidNamespace), out Watched? watched))
            {
                watched.Regions.Add(region);
                return;
            }

            ProcessMonitor? monitor = StartThread();
            int token = 0;
            if (monitor is not null && process.PidNamespace == Os.Current.Self.PidNamespace)
            {
                s_lastToken = s_lastToken == int.MaxValue ? 1 : s_lastToken + 1;
                token = monitor.TryAdd(process, s_lastToken, out bool gone) ? s_lastToken : 0;
                if (gone)
                    s_due.Add(region);
            }

            watched = new Watched(token);
            watched.Regions.Add(region);
            s_processes.Add((process.Pid, process.StartTime, process.PidNamespace), watched);
            if (token == 0)
                monitor?.Wake(); // its timeout has changed
        }
    }

    /// <summary>The region is recovered soon, on the watch thread.</summary>
    public static void RecoverSoon(IWatchedRegion region)
    {
        lock (s_sync)
        {
            s_due.Add(region);
            StartThread()?.Wake();
        }
    }

    /// <summary>The region is told nothing any more (a call that is under way may still end).</summary>
    public static void Forget(IWatchedRegion region)
    {
        lock (s_sync)
        {
            s_due.Remove(region);
            s_failed.Remove(region);
            Unwatch(region, static (_, _) => true);
            if (s_processes.Count == 0)
                s_monitor?.Wake(); // nothing left to do: the thread ends
        }
    }

    /// <summary>There is nobody but those who wait to notice a death: they do not sleep for longer than
    /// <see cref="PollInterval"/>, and look around before.</summary>
    public static bool IsWithoutThread => Atomic.LoadAcquire(ref s_withoutThread) != 0;

    /// <summary>What the thread would do now, or the thread, if it can be started by now. Does not wait for
    /// others.</summary>
    public static void LookAround()
    {
        List<IWatchedRegion> due;
        lock (s_sync)
        {
            if (StartThread() is { } monitor)
            {
                monitor.Wake();
                return;
            }

            PollLocks();
            due = new List<IWatchedRegion>(s_due);
            s_due.Clear();
        }

        foreach (IWatchedRegion region in due)
            Recover(region);
    }

    /// <summary>Null: it cannot be started.</summary>
    private static ProcessMonitor? StartThread()
    {
        if (s_monitor is null)
        {
            ProcessMonitor monitor = Os.Current.CreateProcessMonitor();
            try
            {
                OwnThread.Start(new Thread(() => Run(monitor)) { IsBackground = true, Name = "ipc-watch" });
                s_monitor = monitor; // its first step waits for our lock
            }
            catch (Exception error) when (error is OutOfMemoryException or ThreadStartException)
            {
                monitor.Dispose();
            }

            Atomic.StoreRelease(ref s_withoutThread, s_monitor is null ? 1 : 0);
        }

        return s_monitor;
    }

    private static void Run(ProcessMonitor monitor)
    {
        long polled = Stopwatch.GetTimestamp();
        List<IWatchedRegion> due = new();
        for (; ; )
        {
            int timeout;
            lock (s_sync)
            {
                if (s_processes.Count == 0 && s_due.Count == 0 && s_failed.Count == 0)
                {
                    s_monitor = null;
                    monitor.Dispose();
                    return;
                }

                timeout = s_due.Count > 0 ? RetryInterval : HasPolled() ? PollInterval : -1;
            }

            int token = monitor.Wait(timeout);
            lock (s_sync)
            {
                if (token != 0)
                    MoveToDue(monitor, token);
                if (Stopwatch.GetTimestamp() - polled >= Stopwatch.Frequency * PollInterval / 1000)
                {
                    polled = Stopwatch.GetTimestamp();
                    PollLocks();
                }

                due.AddRange(s_due);
                s_due.Clear();
            }

            foreach (IWatchedRegion region in due)
                Recover(region);
            due.Clear();
        }
    }

    private static void Recover(IWatchedRegion region)
    {
        bool done = false;
        Exception? error = null;
        try
        {
            done = region.TryRecover();
        }
#pragma warning disable CA1031 // whatever one region's recovery meets, the others still need this thread
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }

        bool isNews;
        lock (s_sync)
        {
            isNews = error is null ? !s_failed.Remove(region) : s_failed.Add(region);
            if (done)
                Unwatch(
                    region,
                    static (region, process) =>
                        s_processes[process].Token == 0 &&
                        !region.IsHeldBy(new ProcessIdentity(process.Pid, process.StartTime, process.PidNamespace)));
            else if (error is null)
                s_due.Add(region);
        }

        if (error is not null && isNews)
            Report(error);
    }

    /// <summary>The region is not told of the end of such processes any more. Under the lock.</summary>
    private static void Unwatch(
        IWatchedRegion region, Func<IWatchedRegion, (int Pid, ulong StartTime, ulong PidNamespace), bool> isOver)
    {
        List<(int, ulong, ulong)>? unwatched = null;
        foreach (KeyValuePair<(int, ulong, ulong), Watched> pair in s_processes)
        {
            HashSet<IWatchedRegion> regions = pair.Value.Regions;
            if (regions.Contains(region) && isOver(region, pair.Key) && regions.Remove(region) && regions.Count == 0)
                (unwatched ??= new()).Add(pair.Key);
        }

        if (unwatched is null)
            return;
        foreach ((int, ulong, ulong) process in unwatched)
        {
            s_monitor?.Remove(s_processes[process].Token);
            s_processes.Remove(process);
        }
    }

    /// <summary>By itself: what tells is loaded when it is needed, and a process without descriptors can load
    /// nothing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Report(Exception error) => Trace.TraceError("Recovery of an IPC region failed: " + error);

    private static void MoveToDue(ProcessMonitor monitor, int token)
    {
        foreach (KeyValuePair<(int, ulong, ulong), Watched> pair in s_processes)
        {
            if (pair.Value.Token != token)
                continue;
            s_due.UnionWith(pair.Value.Regions);
            monitor.Remove(token);
            pair.Value.Token = 0; // it ends only once; from now on by the locks, until the regions have let go of it
            return;
        }
    }

    private static bool HasPolled()
    {
        if (s_failed.Count > 0)
            return true;
        foreach (Watched watched in s_processes.Values)
        {
            if (watched.Token == 0)
                return true;
        }

        return false;
    }

    private static void PollLocks()
    {
        s_due.UnionWith(s_failed);
        foreach (Watched watched in s_processes.Values)
        {
            if (watched.Token == 0)
                s_due.UnionWith(watched.Regions);
        }
    }
}
