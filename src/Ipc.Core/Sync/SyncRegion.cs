using System;
using System.Threading;

namespace Ipc;

/// <summary>One open mutex, semaphore or event: its place in the region, its waits, and its end.</summary>
/// <remarks>
/// A thread may be inside a call while another disposes the object. What it takes then would be held by a participant
/// that has left; so whoever has taken something looks at <see cref="IsClosed"/> afterwards and gives it back, and
/// Dispose closes before it looks what is held. Both are full barriers: one sees the other. The memory is left to the
/// garbage collector: every call keeps its object alive to its end.
/// </remarks>
internal sealed unsafe class SyncRegion
{
    private readonly Attachment _place;
    private readonly WaiterWords* _waiter;
    private int _closed;
    // when a sleeper of ours last asked for the holders' locks; a race of two costs one question
    private ulong _askedAt;

    private SyncRegion(Region region, SyncEntrance entrance, WaitStyle style)
    {
        _waiter = ((SyncKind)entrance.Kind).WaiterOf(region);
        ulong* shown = &region.Entry(region.Index)->Spin;
        _place = new Attachment(region, new WaitControl(style, _waiter, null, shown: shown));
    }

    public Region Region => _place.Region;

    /// <summary>Our owner number: participant index + 1.</summary>
    public uint Me => _place.Owner;

    public WaitControl Control => _place.Control;

    public WaiterWords* Waiter => _waiter;

    public bool IsClosed => Atomic.LoadAcquire(ref _closed) != 0;

    /// <summary>Null: there is none.</summary>
    public static SyncRegion? TryOpen(
        string name, SyncEntrance entrance, SyncOptions options, CancellationToken cancellationToken)
    {
        RegionName.Check(name);
        WaitStyle style = WaitStyle.Of(options.WaitMode, options.SpinLimit);
        Region? region = Region.TryOpen(name, entrance, Deadline.After(options.OpenTimeout), cancellationToken);
        return region is null ? null : new SyncRegion(region, entrance, style);
    }

    public static SyncRegion Open(
        string name, SyncEntrance entrance, SyncOptions options, CancellationToken cancellationToken)
    {
        RegionName.Check(name);
        WaitStyle style = WaitStyle.Of(options.WaitMode, options.SpinLimit);
        return new SyncRegion(
            Region.Open(name, entrance, options.OpenMode, Deadline.After(options.OpenTimeout), cancellationToken),
            entrance,
            style);
    }

    public IpcStatus Wait<TCondition>(ref TCondition condition, Deadline deadline, CancellationToken cancellationToken)
        where TCondition : struct, IWaitCondition =>
        Control.Wait(ref condition, _waiter, deadline, cancellationToken);

    /// <summary>Somebody else may hold what is wanted: it is watched from now on, and recovered when it dies.</summary>
    public IpcStatus AttendOthers()
    {
        _place.Attend();
        return IpcStatus.Ok;
    }

    /// <summary>How long who waits for a holder sleeps at most, until it asks for it.</summary>
    public const ulong AskInterval = 250_000_000;

    /// <summary>
    /// Before a sleep for what others hold: now and then true, and then the caller asks for each
    /// (<see cref="AskForHolder"/>). A holder that has called exec() lives on under its number, so that nobody is told
    /// of an end; but what it was is gone, and its locks with it.
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
            _place.AskFor(owner - 1);
    }

    public void Signal() => Ipc.Waiter.Signal(_waiter);

    public void Stop() => _place.Stop();

    public void Resume() => _place.Resume();

    public void Close()
    {
        if (Atomic.Exchange(ref _closed, 1) != 0) // a full barrier: see the remarks
            return;
        Control.End(IpcStatus.Closed);
        _place.Leave();
        Region.View.LeaveToCollector((long)Region.Geometry.TotalSize);
    }

    public void Corrupted(string what) =>
        Throw.Corrupt($"{Region.Path} holds {what}. A participant is faulty or hostile: end it and make a new one.");
}
