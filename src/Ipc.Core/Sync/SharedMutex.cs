using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Ipc;

/// <summary>A mutex between processes, which survives the death of its holder: the next one is told, and has
/// it.</summary>
/// <remarks>
/// <para>Any thread may use one object. The mutex belongs to the object, not to a thread: whoever has acquired it
/// through this object may release it through this object, and acquiring it again before that waits like anybody else.
/// Who comes first is not who gets it first.</para>
/// <para>
/// One word says who has it (docs/wire-format.md section 12): taken by a CAS from free to our number, given back by one
/// to free <c>[owner]</c>. The holder's process is watched by all who wait; when it ends, the word becomes "abandoned",
/// which is free with a message for the next owner.
/// </para>
/// </remarks>
public sealed unsafe partial class SharedMutex : IDisposable
{
    private readonly SyncRegion _sync;
    private readonly MutexHeader* _header;

    private SharedMutex(SyncRegion sync)
    {
        _sync = sync;
        _header = (MutexHeader*)sync.Region.Body;
    }

    /// <summary>Opens the mutex <paramref name="name"/>, or creates it, free.</summary>
    /// <exception cref="IpcException">Why not; see <see cref="IpcException.Status"/>.</exception>
    public static SharedMutex Open(
        string name, SyncOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new SyncOptions();
        return new SharedMutex(SyncRegion.Open(name, new MutexEntrance(options), options, cancellationToken));
    }

    /// <summary>Opens the mutex <paramref name="name"/> if there is one, and creates none, whatever the options
    /// say. They say how long to wait for one.</summary>
    /// <returns>False: there is none.</returns>
    /// <exception cref="IpcException">There is one, and it cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out SharedMutex? mutex,
        SyncOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new SyncOptions();
        MutexEntrance entrance = new(options);
        SyncRegion? sync = SyncRegion.TryOpen(name, entrance, options, cancellationToken);
        mutex = sync is null ? null : new SharedMutex(sync);
        return mutex is not null;
    }

    /// <summary>Acquires the mutex, waiting for it if somebody has it.</summary>
    /// <returns>Ok and Abandoned: it is ours; Abandoned: the last holder died or closed without releasing it, what it
    /// guards may be half done. Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Acquire(Deadline deadline, CancellationToken cancellationToken = default)
    {
        IpcStatus status = IpcStatus.Closed;
        if (!_sync.IsClosed && !TryTake(out status))
        {
            Condition condition = new(this);
            status = _sync.Wait(ref condition, deadline, cancellationToken);
            if (status == IpcStatus.Ok)
                status = condition.Taken;
        }

        if (status is IpcStatus.Ok or IpcStatus.Abandoned)
            status = Taken(status);
        GC.KeepAlive(this);
        return status;
    }

    /// <summary>It is ours, with that status; unless this object was disposed meanwhile: then it is given back as it
    /// was.</summary>
    private IpcStatus Taken(IpcStatus status)
    {
        FaultPoints.Pass(FaultPoints.MutexAcquireOwned);
        if (!_sync.IsClosed)
            return status;
        GiveBack(status == IpcStatus.Abandoned ? MutexHeader.Abandoned : 0);
        return IpcStatus.Closed;
    }

    /// <summary>Gives the mutex to whoever wants it. Nothing happens when this object is disposed.</summary>
    /// <exception cref="IpcException">InvalidState: this object does not have it.</exception>
    public void Release()
    {
        FaultPoints.Pass(FaultPoints.MutexReleaseBefore);
        if (!_sync.IsClosed && !GiveBack(0))
        {
            if (!_sync.IsClosed)
                Throw.Status(
                    IpcStatus.InvalidState,
                    $"{_sync.Region.Path} was to be released by an object that does not hold it.");
        }

        GC.KeepAlive(this);
    }

    /// <summary>All waits of this object return <see cref="IpcStatus.Stopped"/>, now and until resumed; what needs no
    /// waiting still works.</summary>
    public void Stop()
    {
        _sync.Stop();
        GC.KeepAlive(this);
    }

    /// <summary>Waits work again.</summary>
    public void Resume() => _sync.Resume();

    /// <summary>Leaves. Waits of other threads return <see cref="IpcStatus.Closed"/>. If this object has the mutex, it
    /// is abandoned. Any thread.</summary>
    public void Dispose()
    {
        _sync.Close();
        GC.KeepAlive(this);
    }

    private bool GiveBack(uint free)
    {
        if (!Atomic.TryExchange(&_header->Owner, _sync.Me, free)) // [owner]
            return false;
        FaultPoints.Pass(FaultPoints.MutexReleaseAfter);
        _sync.Signal();
        return true;
    }

    private bool TryTake(out IpcStatus status)
    {
        uint owner = Atomic.LoadAcquire(ref _header->Owner);
        status = owner == 0 ? IpcStatus.Ok : IpcStatus.Abandoned;
        if ((owner & ~MutexHeader.Abandoned) == 0)
            return Atomic.TryExchange(&_header->Owner, owner, _sync.Me); // [owner]
        if (owner > (uint)_sync.Region.Geometry.ParticipantCapacity)
            _sync.Corrupted(
                $"the mutex owner 0x{owner:X8}; there are {_sync.Region.Geometry.ParticipantCapacity} participants");
        return false;
    }

    /// <summary>The mutex, which is taken when it is seen to be free.</summary>
    private struct Condition : IWaitCondition
    {
        private readonly SharedMutex _mutex;
        private bool _done;
        private IpcStatus _taken;

        public Condition(SharedMutex mutex)
        {
            _mutex = mutex;
            _done = false;
            _taken = IpcStatus.Ok;
        }

        public readonly IpcStatus Taken => _taken;

        public readonly ulong LongestSleep => SyncRegion.AskInterval;

        public bool IsTrue() => _done || (_done = _mutex.TryTake(out _taken));

        public readonly IpcStatus PeerStatus() => _mutex._sync.AttendOthers();

        public readonly void BeforeSleep()
        {
            if (_mutex._sync.IsTimeToAsk())
                _mutex._sync.AskForHolder(Atomic.LoadAcquire(ref _mutex._header->Owner));
        }
    }
}
