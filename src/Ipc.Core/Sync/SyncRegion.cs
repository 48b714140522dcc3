using System;
using System.Threading;

namespace Ipc;

/// <summary>One open mutex, semaphore or event: its place in the region, its waits, and its end.</summary>
/// <remarks>
/// A thread may be inside a call while another disposes the object. What it takes then would be held by a participant that has left; so whoever has taken something looks at
/// <see cref="IsClosed"/> afterwards and gives it back, and Dispose closes before it looks what is held. Both are full barriers: one sees the other. The
/// memory is left to the garbage collector: every call keeps its object alive to its end.
/// </remarks>
internal sealed unsafe class SyncRegion
{
    private readonly Crowd _crowd;
    private readonly WaitControl _control;
    private readonly WaiterWords* _waiter;
    private int _closed;
    private ulong _askedAt; // when a sleeper of ours last asked for the holders' locks; a race of two costs one question

    private SyncRegion(Region region, SyncRules rules, WaitMode mode)
    {
        Region = region;
        Me = (uint)region.Index + 1;
        _crowd = new Crowd(region);
        _waiter = rules.WaiterOf(region);
        _control = new WaitControl(mode, _waiter, null);
    }

    public Region Region { get; }

    /// <summary>Our owner number: participant index + 1.</summary>
    public uint Me { get; }

    public bool IsClosed => Atomic.LoadAcquire(ref _closed) != 0;

    public static SyncRegion Open(string name, SyncRules rules, SyncOptions options, CancellationToken cancel)
    {
        RegionName.Check(name);
        return new SyncRegion(Region.Open(name, rules, options.OpenMode, Deadline.After(options.OpenTimeout), cancel), rules, options.WaitMode);
    }

    public IpcStatus Wait<TCondition>(ref TCondition condition, Deadline deadline, CancellationToken cancel) where TCondition : struct, IWaitCondition =>
        _control.Wait(ref condition, _waiter, deadline, cancel);

    /// <summary>Somebody else may hold what is wanted: it is watched from now on, and recovered when it dies.</summary>
    public IpcStatus AttendOthers()
    {
        _crowd.Attend();
        return IpcStatus.Ok;
    }

    /// <summary>How long who waits for a holder sleeps at most, until it asks for it.</summary>
    public const ulong AskInterval = 250_000_000;

    /// <summary>
    /// Before a sleep for what others hold: now and then true, and then the caller asks for each (<see cref="AskForHolder"/>). A holder that has called exec() lives on under its
    /// number, so that nobody is told of an end; but what it was is gone, and its locks with it.
    /// </summary>
    public bool IsTimeToAsk()
    {
        ulong now = Os.Current.Now();
        if (now - Atomic.LoadAcquire(ref _askedAt) < AskInterval)
            return false;
        Atomic.StoreRelease(ref _askedAt, now);
        return true;
    }

    public void AskForHolder(uint owner)
    {
        if (owner != 0)
            _crowd.AskFor(owner - 1);
    }

    public void Signal() => Waiter.Signal(_waiter);

    public void Stop() => _control.End(IpcStatus.Stopped);

    public void Resume() => _control.Resume();

    public void Close()
    {
        if (Atomic.Exchange(ref _closed, 1) != 0) // a full barrier: see the remarks
            return;
        _control.End(IpcStatus.Closed);
        _crowd.Close();
        Region.Leave();
        Region.View.LeaveToCollector((long)Region.Geometry.TotalSize);
    }

    public void Corrupted(string what) =>
        Throw.Corrupt($"{Region.Path} holds {what}. A participant is faulty or hostile: end it and make a new one.");
}
