using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Ipc;

/// <summary>An event between processes: threads wait until it is set.</summary>
/// <remarks>Any thread may use one object. One word (docs/wire-format.md section 12): set by a release store, and, if
/// each set lets one pass, consumed by a CAS <c>[owner]</c>. A set that nobody has consumed yet and another one are
/// one.</remarks>
public sealed unsafe partial class SharedEvent : IDisposable
{
    private readonly SyncRegion _sync;
    private readonly EventHeader* _header;
    private readonly bool _manual;

    private SharedEvent(SyncRegion sync, bool manual)
    {
        _sync = sync;
        _header = (EventHeader*)sync.Region.Body;
        _manual = manual;
    }

    /// <summary>Whether the event, once set, stays set until it is reset.</summary>
    public bool IsManualReset => _manual;

    /// <summary>Opens the event <paramref name="name"/>, or creates it.</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>.</exception>
    public static SharedEvent Open(
        string name, EventOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new EventOptions();
        EventEntrance entrance = new(options);
        return new SharedEvent(SyncRegion.Open(name, entrance, options, cancellationToken), entrance.IsManual);
    }

    /// <summary>Opens the event <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out SharedEvent? sharedEvent,
        EventOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new EventOptions();
        EventEntrance entrance = new(options);
        SyncRegion? sync = SyncRegion.TryOpen(name, entrance, options, cancellationToken);
        sharedEvent = sync is null ? null : new SharedEvent(sync, entrance.IsManual);
        return sharedEvent is not null;
    }

    /// <summary>Sets the event. With manual reset all waits succeed until <see cref="Reset"/>; otherwise one wait does.
    /// It has no effect when this object is disposed.</summary>
    public void Set()
    {
        if (!_sync.IsClosed)
        {
            Atomic.StoreRelease(ref _header->Set, 1); // [owner]
            FaultPoints.Pass(FaultPoints.EventSetAfter);
            _sync.Signal();
        }

        GC.KeepAlive(this);
    }

    /// <summary>Resets the event: waits block until it is set again.</summary>
    public void Reset()
    {
        if (!_sync.IsClosed)
            Atomic.StoreRelease(ref _header->Set, 0);
        GC.KeepAlive(this);
    }

    /// <summary>Waits until the event is set. The wait resets it, unless the event has manual reset.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken = default)
    {
        IpcStatus status = IpcStatus.Closed;
        if (!_sync.IsClosed)
        {
            Condition condition = new(this);
            status = condition.IsTrue() ? IpcStatus.Ok : _sync.Wait(ref condition, deadline, cancellationToken);
            if (status == IpcStatus.Ok)
                status = Passed();
        }

        GC.KeepAlive(this);
        return status;
    }

    /// <summary>It was set, and is consumed; unless this object was disposed meanwhile: then it is set again.</summary>
    private IpcStatus Passed()
    {
        FaultPoints.Pass(FaultPoints.EventWaitConsumed);
        if (!_sync.IsClosed)
            return IpcStatus.Ok;
        PutBack();
        return IpcStatus.Closed;
    }

    /// <summary>All waits of this object return <see cref="IpcStatus.Stopped"/>, now and until <see cref="Resume"/>.
    /// Calls that need not wait still work.</summary>
    public void Stop()
    {
        _sync.Stop();
        GC.KeepAlive(this);
    }

    /// <summary>Lets waits work again after <see cref="Stop"/>.</summary>
    public void Resume() => _sync.Resume();

    /// <summary>Closes this object. Waits of other threads return <see cref="IpcStatus.Closed"/>. It may be called on
    /// any thread.</summary>
    public void Dispose()
    {
        _sync.Close();
        GC.KeepAlive(this);
    }

    /// <summary>Consumed by a wait of an object that was being disposed: somebody else shall have it.</summary>
    private void PutBack()
    {
        if (_manual)
            return;
        Atomic.StoreRelease(ref _header->Set, 1);
        _sync.Signal();
    }

    private bool TryPass()
    {
        uint set = Atomic.LoadAcquire(ref _header->Set); // [owner]
        if (set > 1)
            _sync.Corrupted($"an event that is {set}; it is 0 or 1");
        return set == 1 && (_manual || Atomic.TryExchange(&_header->Set, 1, 0));
    }

    /// <summary>The event, which is consumed when it is seen to be set.</summary>
    private struct Condition : IWaitCondition
    {
        private readonly SharedEvent _event;
        private bool _done;

        public Condition(SharedEvent @event)
        {
            _event = @event;
            _done = false;
        }

        public readonly ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => _done || (_done = _event.TryPass());

        public readonly IpcStatus PeerStatus() => _event._sync.AttendOthers();

        public readonly bool BeforeSleep() => true;
    }
}
