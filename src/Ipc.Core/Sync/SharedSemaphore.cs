using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Ipc;

/// <summary>A semaphore between processes: it has a number of permits, each held by one object at a time. The permits
/// of a process that dies become free again.</summary>
/// <remarks>
/// <para>Any thread may use one object. Permits are held by the object that acquired them, and released through it. It
/// is not fair: waiters do not get permits in the order of their arrival.</para>
/// <para>Each permit is a word that says who has it (docs/wire-format.md section 12), taken and given back by a CAS
/// <c>[owner]</c>. So there is no count that a death could leave wrong.
/// </para>
/// </remarks>
public sealed unsafe partial class SharedSemaphore : IDisposable
{
    private readonly SyncRegion _sync;
    private readonly SemaphoreHeader* _header;
    private readonly uint* _table;
    private readonly uint _permits;
    private int _hint; // where one was given back last
    private int _held; // permits that this object's threads have acquired and not begun to release

    private SharedSemaphore(SyncRegion sync, uint permits)
    {
        _sync = sync;
        _header = (SemaphoreHeader*)sync.Region.Body;
        _table = SemaphoreKind.TableOf(sync.Region);
        _permits = permits;
    }

    /// <summary>The number of permits, free and held.</summary>
    public int Permits => (int)_permits;

    /// <summary>The number of free permits now; 0 when this object is disposed.</summary>
    public int Available
    {
        get
        {
            int available = 0;
            for (uint permit = 0; permit < _permits && !_sync.IsClosed; permit++)
                available += (Atomic.LoadAcquire(ref _table[permit]) & ~SemaphoreHeader.AbandonedPermit) == 0 ? 1 : 0;
            GC.KeepAlive(this);
            return available;
        }
    }

    /// <summary>Opens the semaphore <paramref name="name"/>, or creates it. All permits of a new semaphore are
    /// free.</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>.</exception>
    public static SharedSemaphore Open(
        string name, SemaphoreOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new SemaphoreOptions();
        SemaphoreEntrance entrance = new(options);
        return new SharedSemaphore(SyncRegion.Open(name, entrance, options, cancellationToken), entrance.Permits);
    }

    /// <summary>Opens the semaphore <paramref name="name"/> if it exists; never creates it, whatever the options say.
    /// The options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out SharedSemaphore? semaphore,
        SemaphoreOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new SemaphoreOptions();
        SemaphoreEntrance entrance = new(options);
        SyncRegion? sync = SyncRegion.TryOpen(name, entrance, options, cancellationToken);
        semaphore = sync is null ? null : new SharedSemaphore(sync, entrance.Permits);
        return semaphore is not null;
    }

    /// <summary>Acquires a permit, waiting for one if there is none.</summary>
    /// <returns>Ok or Abandoned: this object holds a permit. Abandoned says that its last holder died or closed without
    /// releasing it, and is returned once for each such permit. Or Timeout, Stopped, Cancelled or Closed.</returns>
    public IpcStatus Acquire(Deadline deadline, CancellationToken cancellationToken = default)
    {
        IpcStatus status = IpcStatus.Closed;
        if (!_sync.IsClosed)
        {
            Condition condition = new(this);
            status = condition.IsTrue() ? IpcStatus.Ok : _sync.Wait(ref condition, deadline, cancellationToken);
            if (status == IpcStatus.Ok)
                status = Taken(condition.Abandoned);
        }

        GC.KeepAlive(this);
        return status;
    }

    /// <summary>A permit is ours; unless this object was disposed meanwhile: then it is given back as it was.</summary>
    private IpcStatus Taken(bool abandoned)
    {
        FaultPoints.Pass(FaultPoints.SemaphoreAcquireTaken);
        if (!_sync.IsClosed)
            return abandoned ? IpcStatus.Abandoned : IpcStatus.Ok;
        TryGiveBack(abandoned ? SemaphoreHeader.AbandonedPermit : 0);
        return IpcStatus.Closed;
    }

    /// <summary>Releases a permit. It has no effect when this object is disposed.</summary>
    /// <exception cref="IpcException">InvalidState: this object holds none.</exception>
    public void Release()
    {
        if (!_sync.IsClosed && !TryGiveBack(0) && !_sync.IsClosed)
            Throw.Status(
                IpcStatus.InvalidState,
                $"A permit of {_sync.Region.Path} was to be released by an object that has none.");
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

    /// <summary>Closes this object. Waits of other threads return <see cref="IpcStatus.Closed"/>. Permits that this
    /// object holds become abandoned. It may be called on any thread.</summary>
    public void Dispose()
    {
        _sync.Close();
        GC.KeepAlive(this);
    }

    private bool TryTake(out bool abandoned)
    {
        uint said = Atomic.LoadAcquire(ref _header->Abandoned);
        bool taken = abandoned = said != 0 && TryTakeAbandoned(said);
        if (!taken)
        {
            taken = TryChange(0, SemaphoreHeader.AbandonedPermit, _sync.Me, out uint was);
            abandoned = taken && was != 0;
        }

        if (taken)
            Atomic.Increment(ref _held);
        return taken;
    }

    /// <summary>There are said to be abandoned permits: takes one of these, which is one less then; it is one less,
    /// too, when there is none.</summary>
    private bool TryTakeAbandoned(uint said)
    {
        bool taken = TryChange(SemaphoreHeader.AbandonedPermit, SemaphoreHeader.AbandonedPermit, _sync.Me, out _);
        while (said != 0 && !Atomic.TryExchange(&_header->Abandoned, said, said - 1))
            said = Atomic.LoadAcquire(ref _header->Abandoned);
        return taken;
    }

    /// <summary>Whoever counts one down finds one: but other threads of this object move theirs while it looks, out of
    /// the places that it still has to look at and into those that it has. Then it looks again; not for ever, for the
    /// table is shared memory.</summary>
    private bool TryGiveBack(uint free)
    {
        const int MostLooks = 100_000;
        int has = Atomic.LoadAcquire(ref _held);
        while (has > 0 && Atomic.CompareExchange(ref _held, has - 1, has) != has)
            has = Atomic.LoadAcquire(ref _held);
        if (has <= 0)
            return false;
        for (int looks = 1; !TryChange(_sync.Me, _sync.Me, free, out _); looks++)
        {
            if (looks == MostLooks)
                return false;
        }

        FaultPoints.Pass(FaultPoints.SemaphoreReleaseAfter);
        _sync.Signal();
        return true;
    }

    /// <summary>Changes one word of the table, any one that holds <paramref name="from"/> or <paramref name="or"/>;
    /// <paramref name="was"/> is what it held.</summary>
    private bool TryChange(uint from, uint or, uint to, out uint was)
    {
        uint start = (uint)Atomic.LoadAcquire(ref _hint);
        for (uint i = 0; i < _permits; i++)
        {
            uint permit = start + i < _permits ? start + i : start + i - _permits;
            was = Atomic.LoadAcquire(ref _table[permit]);
            if ((was == from || was == or) && Atomic.TryExchange(&_table[permit], was, to)) // [owner]
            {
                Atomic.StoreRelease(ref _hint, (int)permit);
                return true;
            }
        }

        was = 0;
        return false;
    }

    private void AskForHolders()
    {
        uint last = 0; // whoever has many mostly has them side by side
        for (uint i = 0; i < _permits; i++)
        {
            uint owner = Atomic.LoadAcquire(ref _table[i]);
            if (owner != last)
                _sync.AskForHolder(owner);
            last = owner;
        }
    }

    /// <summary>A permit, which is taken when it is seen.</summary>
    private struct Condition : IWaitCondition
    {
        private readonly SharedSemaphore _semaphore;
        private bool _done;
        private bool _abandoned;

        public Condition(SharedSemaphore semaphore)
        {
            _semaphore = semaphore;
            _done = false;
            _abandoned = false;
        }

        public readonly bool Abandoned => _abandoned;

        public readonly ulong LongestSleep => SyncRegion.AskInterval;

        public bool IsTrue() => _done || (_done = _semaphore.TryTake(out _abandoned));

        public readonly IpcStatus PeerStatus() => _semaphore._sync.AttendOthers();

        public readonly bool BeforeSleep()
        {
            if (_semaphore._sync.IsTimeToAsk())
                _semaphore.AskForHolders();
            return true; // there is nothing to arm
        }
    }
}
