using System;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>A storm's worker at a mutex, a semaphore and an event; what it checks stands in tests/peers/c/storm_lock.c.</summary>
internal sealed unsafe class StormLock : IDisposable
{
    private const int Permits = 3, Ahead = 16;
    private readonly StormWorker _worker;
    private readonly StormGuarded* _guarded;
    private readonly SharedMutex _mutex;
    private readonly SharedSemaphore _semaphore;
    private readonly SharedEvent _event;
    private uint _turn;

    private StormLock(StormWorker worker)
    {
        _worker = worker;
        _guarded = worker.Side.Guarded;
        _mutex = SharedMutex.Open(worker.Name, new SyncOptions { Lifetime = Lifetime.Persistent, WaitMode = worker.WaitMode });
        _semaphore = SharedSemaphore.Open("storm-permits", new SemaphoreOptions { Permits = Permits, Lifetime = Lifetime.Persistent, WaitMode = worker.WaitMode });
        _event = SharedEvent.Open("storm-event", new EventOptions { Lifetime = Lifetime.Persistent, WaitMode = worker.WaitMode });
    }

    public static int Run(StormWorker worker, string role)
    {
        using var storm = new StormLock(worker);
        worker.Side.NoteAttached();
        return role switch
        {
            "send" => storm.SendTurns(),
            "receive" => storm.ReceiveTurns(),
            "sweep" => storm.Sweep(),
            _ => throw new ArgumentException($"no C# worker of a storm of locks is asked to {role}"),
        };
    }

    public void Dispose()
    {
        _event.Dispose();
        _semaphore.Dispose();
        _mutex.Dispose();
    }

    private void Linger()
    {
        if (_turn % 64 == 0)
            Thread.Sleep(1); // long enough inside for some to be killed there
        else if (_turn % 8 == 0)
            Thread.Sleep(0); // lets another one run, which finds this one inside
    }

    private int InsideMutex(bool abandoned)
    {
        uint me = _worker.Id + 1;
        ulong before = _guarded->First;
        if (!abandoned && (_guarded->Holder != 0 || before != _guarded->Second))
            return _worker.Wrong($"in the mutex with {_guarded->Holder - 1}, counters {before} and {_guarded->Second}");
        if (before - _guarded->Second > 1)
            return _worker.Wrong($"counters {before} and {_guarded->Second}");
        _guarded->Second = before; // what the dead one has begun is done
        _guarded->Holder = me;
        _guarded->First = before + 1;
        Linger();
        _guarded->Second++;
        if (_guarded->Holder != me || _guarded->First != before + 1 || _guarded->Second != before + 1)
            return _worker.Wrong($"not alone in the mutex, {_guarded->Holder - 1} is there");
        _worker.Side.AddDone();
        _guarded->Holder = 0;
        return Program.Right;
    }

    private int MutexTurn(Deadline deadline)
    {
        StormSide side = _worker.Side;
        side.NoteAcquiring(StormSide.Mutex);
        IpcStatus status = _mutex.Acquire(deadline);
        if (status == IpcStatus.Abandoned)
            side.AddToldMutex();
        side.NoteAcquiring(0);
        if (status is not (IpcStatus.Ok or IpcStatus.Abandoned))
            return Program.Error(status, "");
        int result = InsideMutex(status == IpcStatus.Abandoned);
        if (result == Program.Right)
            _mutex.Release();
        return result;
    }

    private IpcStatus AcquirePermit(Deadline deadline)
    {
        StormSide side = _worker.Side;
        side.NoteAcquiring(StormSide.Permit);
        IpcStatus status = _semaphore.Acquire(deadline);
        if (status == IpcStatus.Abandoned)
            side.AddToldPermit();
        side.NoteAcquiring(0);
        return status == IpcStatus.Abandoned ? IpcStatus.Ok : status;
    }

    private bool ChangePlace(int place, ulong from, ulong to) => Interlocked.CompareExchange(ref _guarded->Place(place), to, from) == from;

    /// <summary>
    /// All places were taken at one moment. Mine is one of a dead one, or free by now: true. False: all of those have left by themselves, so
    /// they lived, and with us they were one too many.
    /// </summary>
    private bool IsExplained(ReadOnlySpan<ulong> seen, ulong mine, ref int place)
    {
        for (int p = 0; p < Permits;)
        {
            ulong now = Volatile.Read(ref _guarded->Place(p)); // before the next: who is dead does not leave
            bool dead = _worker.Side.IsDead((uint)(seen[p] >> 32) - 1);
            if (now != seen[p] && dead)
                return true;
            if (now != seen[p])
            {
                p++;
            }
            else if (dead && ChangePlace(p, seen[p], mine))
            {
                place = p;
                return true;
            }
            else
            {
                Thread.Sleep(0); // gives way to who lives and leaves: nobody is told when a place gets free, that is what the semaphore is for
            }
        }
        return false;
    }

    private int TakePlace(ulong mine, out int place)
    {
        Span<ulong> seen = stackalloc ulong[Permits];
        place = -1;
        while (place < 0)
        {
            bool same = true;
            for (int p = 0; p < Permits && place < 0; p++)
            {
                seen[p] = Volatile.Read(ref _guarded->Place(p));
                if (seen[p] == 0 && ChangePlace(p, 0, mine))
                    place = p;
                same &= seen[p] != 0;
            }
            for (int p = 0; p < Permits && same; p++)
                same = Volatile.Read(ref _guarded->Place(p)) == seen[p];
            if (same && place < 0 && !IsExplained(seen, mine, ref place))
                return _worker.Wrong($"{Permits} permits, and one more is in");
        }
        return Program.Right;
    }

    private int PermitTurn()
    {
        ulong mine = ((ulong)(_worker.Id + 1) << 32) | _turn;
        IpcStatus status = AcquirePermit(Deadline.Never);
        if (status != IpcStatus.Ok)
            return Program.Error(status, "");
        int result = TakePlace(mine, out int place);
        if (result != Program.Right)
            return result;
        Linger();
        if (!ChangePlace(place, mine, 0))
            return _worker.Wrong("its place was taken while it had a permit");
        _semaphore.Release();
        return Program.Right;
    }

    private int Turns()
    {
        _turn++;
        int result = MutexTurn(Deadline.Never);
        return result != Program.Right ? result : PermitTurn();
    }

    private void Notice()
    {
        ulong posted = Volatile.Read(ref _guarded->Posted);
        ulong noticed = Volatile.Read(ref _guarded->Noticed);
        while (noticed < posted)
        {
            ulong found = Interlocked.CompareExchange(ref _guarded->Noticed, posted, noticed);
            if (found == noticed)
                break;
            noticed = found;
        }
    }

    private int SendTurns()
    {
        int result = Program.Right;
        while (result == Program.Right && !_worker.Side.Finish)
        {
            if (Volatile.Read(ref _guarded->Posted) > Volatile.Read(ref _guarded->Noticed) + Ahead)
            {
                Thread.Sleep(0); // gives way to who receives: nobody tells how far it has come, the event under test tells only that there is more
                continue;
            }
            result = Turns();
            Interlocked.Increment(ref _guarded->Posted);
            _event.Set();
        }
        return result;
    }

    private int ReceiveTurns()
    {
        int result = Program.Right;
        Notice();
        while (result == Program.Right && !_worker.Side.Over)
        {
            IpcStatus status = _event.Wait(Deadline.Never);
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
            Notice();
            _worker.Side.AddReceived();
            result = Turns();
        }
        _event.Set(); // the next one ends, too
        return result;
    }

    /// <summary>Nobody else is there: the mutex is to be had, and all permits, and no more.</summary>
    private int Sweep()
    {
        int result = MutexTurn(Deadline.Now);
        if (result != Program.Right)
            return result;
        for (int p = 0; p <= Permits; p++)
        {
            if (AcquirePermit(Deadline.Now) != (p < Permits ? IpcStatus.Ok : IpcStatus.Timeout))
                return _worker.Wrong($"sweep: permit {p + 1} of {Permits}");
        }
        for (int p = 0; p < Permits; p++)
            _semaphore.Release();
        return Program.Right;
    }
}
