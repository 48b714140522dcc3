using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Ipc;

/// <summary>A mutex between processes. When its holder dies, the next one acquires it and is told that it was
/// abandoned.</summary>
/// <remarks>
/// <para>Any thread may use one object. The mutex is held by the object, not by a thread: any thread may release it
/// through this object, and acquiring it again through the same object waits. It is not fair: waiters do not acquire it
/// in the order of their arrival.</para>
/// <para>One word says who has it (docs/wire-format.md section 12): taken by a CAS from free to our number, given back
/// by one to free <c>[owner]</c>. The holder's process is watched by all who wait; when it ends, the word becomes
/// "abandoned", which is free with a message for the next owner.
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

    /// <summary>Opens the mutex <paramref name="name"/>, or creates it. A new mutex is free.</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>.</exception>
    public static SharedMutex Open(
        string name, SyncOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new SyncOptions();
        return new SharedMutex(SyncRegion.Open(name, new MutexEntrance(options), options, cancellationToken));
    }

    /// <summary>Opens the mutex <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
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

    /// <summary>Acquires the mutex, waiting for it while it is held.</summary>
    /// <returns>Ok or Abandoned: this object holds it. Abandoned says that the last holder died or closed without
    /// releasing it, so what it guards may be inconsistent. Or Timeout, Stopped, Cancelled or Closed.</returns>
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

    /// <summary>Releases the mutex. It has no effect when this object is disposed.</summary>
    /// <exception cref="IpcException">InvalidState: this object does not hold it.</exception>
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

    /// <summary>All waits of this object return <see cref="IpcStatus.Stopped"/>, now and until <see cref="Resume"/>.
    /// Calls that need not wait still work.</summary>
    public void Stop()
    {
        _sync.Stop();
        GC.KeepAlive(this);
    }

    /// <summary>Lets waits work again after <see cref="Stop"/>.</summary>
    public void Resume() => _sync.Resume();

    /// <summary>Closes this object. Waits of other threads return <see cref="IpcStatus.Closed"/>. If this object holds
    /// the mutex, it becomes abandoned. It may be called on any thread.</summary>
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

        public readonly bool BeforeSleep()
        {
            if (_mutex._sync.IsTimeToAsk())
                _mutex._sync.AskForHolder(Atomic.LoadAcquire(ref _mutex._header->Owner));
            return true; // there is nothing to arm
        }
    }
}
