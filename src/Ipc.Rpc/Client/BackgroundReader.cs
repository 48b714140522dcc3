using System;
using System.Threading;

namespace Ipc.Rpc;

// Asynchronous calls and streams have no thread that waits for them. This one reads for them, and only while there are
// some and nobody else has the turn: it is started by the first of them, sleeps when none is pending, and costs nothing
// then.
//
// A channel that is watched (for callbacks, or for its end) is read for ever. But a caller that reads its own reply is
// faster than one that is told by this thread. So while callers come and go this thread stays out of the way, and looks
// every millisecond whether they have stopped.
//
// No wake is lost [background]: who adds a call increments the count (interlocked), and after sending looks whether the
// thread sleeps; the thread says that it sleeps (interlocked) and then looks at the count.

/// <summary>The thread that reads a channel while asynchronous calls are pending.</summary>
internal sealed class BackgroundReader
{
    private const int LingerSpins = 300;
    private static readonly TimeSpan _outOfTheWay = TimeSpan.FromMilliseconds(1);

    private readonly object _gate = new();
    private readonly Parker _parker = new();
    private readonly ClientChannel _channel;
    private readonly ReadTurn _turn;
    private readonly int _linger;
    private Thread? _thread; // [made]
    private int _pending; // [count]
    private int _asleep;
    private bool _stopped; // [flag]; the parker keeps its signal
    private int _watches; // [once]
    private int _lastTurns;
    private bool _stepAside;

    public BackgroundReader(ClientChannel channel, ReadTurn turn, WaitMode mode)
    {
        _channel = channel;
        _turn = turn;
        _linger = mode == WaitMode.Block || Processors.IsSpinningUseless ? 0 : LingerSpins;
    }

    /// <summary>One more call is about to be sent.</summary>
    public void Add() => Interlocked.Increment(ref _pending); // [background]

    /// <summary>One call has ended, or was not sent.</summary>
    public void Remove() => Interlocked.Decrement(ref _pending);

    /// <summary>A call was sent: somebody has to read.</summary>
    public void Wake()
    {
        if (Volatile.Read(ref _thread) is null && TryStart())
            return;
        // [background] also if another thread has just started it: it may have read all there was, and sleep again
        if (Volatile.Read(ref _asleep) != 0)
            _parker.Signal();
    }

    /// <summary>Reads for ever, whether or not somebody waits.</summary>
    public void Watch()
    {
        if (Interlocked.Exchange(ref _watches, 1) == 0)
        {
            Add();
            Wake();
        }
    }

    public bool IsWatching => Volatile.Read(ref _watches) != 0;

    public void Stop()
    {
        Volatile.Write(ref _stopped, true);
        _parker.Signal();
    }

    private bool TryStart()
    {
        lock (_gate)
        {
            if (_thread is not null)
                return false;

            var thread = new Thread(Guarded, 256 * 1024) { IsBackground = true, Name = "ipc-rpc reader" };
            OwnThread.Start(thread);
            Volatile.Write(ref _thread, thread);
            return true;
        }
    }

    private void Guarded()
    {
        try
        {
            Run();
        }
#pragma warning disable CA1031 // nobody above would catch it: the process would end, and nobody would read on
        catch (Exception e)
#pragma warning restore CA1031
        {
            _channel.EndUnexpectedly(e);
        }
    }

    private void Run()
    {
        while (!Volatile.Read(ref _stopped))
        {
            if (Volatile.Read(ref _pending) == 0)
                Sleep();
            else if (IsOnlyWatching && CallersRead())
                _parker.Wait(Deadline.After(_outOfTheWay));
            else if (_turn.TryTake())
                Read();
            else
                WaitForTurn();
        }
    }

    /// <summary>Whether no call waits for this thread to read. A hint.</summary>
    public bool IsOnlyWatching => Volatile.Read(ref _pending) == Volatile.Read(ref _watches);

    /// <summary>Whether callers have read since this was last asked.</summary>
    private bool CallersRead()
    {
        int turns = _turn.Turns;
        bool read = turns != _lastTurns || _stepAside;
        _lastTurns = turns;
        _stepAside = false;
        return read;
    }

    private void Read()
    {
        _lastTurns = _turn.Turns;
        int replies = _channel.Replies;
        try
        {
            while (Volatile.Read(ref _pending) != 0 && !Volatile.Read(ref _stopped))
            {
                if (_channel.ReadOne(Deadline.Never, CancellationToken.None) != IpcStatus.Ok)
                    return; // the channel is over and Stop has been called
                if (IsOnlyWatching && _channel.Replies != replies)
                {
                    _stepAside = true; // a caller's reply: the next one it shall read by itself
                    return;
                }
            }
        }
        finally
        {
            _channel.LeaveTurn();
        }
    }

    private void WaitForTurn()
    {
        _turn.Enlist(_parker, background: true);
        try
        {
            if (!_turn.IsFree && !Volatile.Read(ref _stopped))
                _parker.Wait(Deadline.Never);
        }
        finally
        {
            _turn.Delist(_parker);
        }
    }

    /// <summary>Sleeps until a call is added. The next one often follows at once: it is worth a short look
    /// before.</summary>
    private void Sleep()
    {
        for (int i = 0; i < _linger; i++)
        {
            if (Volatile.Read(ref _pending) != 0)
                return;
            Thread.SpinWait(10);
        }

        Interlocked.Exchange(ref _asleep, 1); // [background]
        if (Volatile.Read(ref _pending) == 0 && !Volatile.Read(ref _stopped))
            _parker.Wait(Deadline.Never);
        Volatile.Write(ref _asleep, 0); // [background] who still reads 1 wakes us for nothing
    }
}
