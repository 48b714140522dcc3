using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Ipc;

/// <content>Requests that are found by the thread that waits for everybody (<see cref="AsyncWaitThread"/>). They are
/// opened on the thread pool, one after another: a file that takes its time holds up the other requests of this
/// listener, and nobody else.</content>
/// <remarks>Only one thread may take a slot's request: it removes the file on the way, and who found none would send
/// the client away. So a slot that is to be opened here, or is being, is left alone by whoever leads. Its client may
/// ring anew meanwhile, or another one have the slot already: when it has been taken it is looked at once
/// more.</remarks>
public sealed unsafe partial class Listener
{
    private readonly Queue<int> _toOpen = new(); // slots; its lock guards what follows
    private readonly HashSet<int> _opening = new(); // those, and the one in hand
    private readonly Queue<Connection> _opened = new();
    private ExceptionDispatchInfo? _openingFailed;
    private bool _opens; // a thread is at it, or will be
    private bool _hasInHand;
    private bool _opensNoMore;
    private int _hasOpened; // there is something to be taken; read without the lock

    /// <summary>Called before a request is opened: for tests that have to know who does it, or keep him
    /// there.</summary>
    internal Action? Opening { get; set; }

    private bool OpensAside(int slot)
    {
        lock (_toOpen)
            return _opening.Contains(slot);
    }

    private void OpenAside(int slot)
    {
        lock (_toOpen)
        {
            if (_opensNoMore || !_opening.Add(slot))
                return;
            _toOpen.Enqueue(slot);
            if (_opens)
                return;
            _opens = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(static listener => ((Listener)listener!).OpenRequests(), this);
    }

    /// <summary>The leader takes what has been opened since.</summary>
    private void TakeOpened()
    {
        lock (_toOpen)
        {
            Atomic.StoreRelease(ref _hasOpened, 0);
            while (_opened.Count > 0)
            {
                Connection connection = _opened.Dequeue();
                if (KnowsOfSuccessor)
                    connection.TurnAway(); // it was opened before, and is found behind the event that says so
                else
                    Found(connection);
            }

            ExceptionDispatchInfo? failed = _openingFailed;
            _openingFailed = null;
            failed?.Throw();
        }
    }

    private void Found(Connection connection)
    {
        MakeHot(connection);
        _events.Enqueue(new ListenerEvent(ListenerEventKind.Connect, connection));
    }

    private void OpenRequests()
    {
        while (TryTakeToOpen(out int slot))
        {
            if (!_region.View.TryUse())
            {
                Opened(slot, null, null);
                continue;
            }

            try
            {
                Connection? connection = null;
                ExceptionDispatchInfo? failed = null;
                try
                {
                    connection = TakeRequest(slot);
                }
#pragma warning disable CA1031 // too little memory: it is the awaiter's, as if it had been opened there
                catch (Exception error)
#pragma warning restore CA1031
                {
                    failed = ExceptionDispatchInfo.Capture(error);
                }

                Opened(slot, connection, failed);
                if (ListenerSlot.StateOf(Atomic.LoadAcquire(ref _entrance.Slot(_region, slot)->Word)) ==
                    ListenerSlot.Requested) // [slot]
                {
                    OpenAside(slot);
                }

                if (Atomic.LoadAcquire(ref _hasOpened) != 0)
                    Waiter.SignalAlways(&_header->Doorbell);
            }
            finally
            {
                _region.View.Unuse();
            }
        }
    }

    private bool TryTakeToOpen(out int slot)
    {
        lock (_toOpen)
        {
            slot = -1;
            _opens = !_opensNoMore && _toOpen.Count > 0;
            if (_opens)
                slot = _toOpen.Dequeue();
            _hasInHand = _opens;
            return _opens;
        }
    }

    private void Opened(int slot, Connection? connection, ExceptionDispatchInfo? failed)
    {
        bool tooLate;
        lock (_toOpen)
        {
            _opening.Remove(slot);
            tooLate = _opensNoMore; // who disposes has not waited so long
            if (!tooLate && (connection is not null || failed is not null))
            {
                _openingFailed ??= failed;
                if (connection is not null)
                    _opened.Enqueue(connection);
                Atomic.StoreRelease(ref _hasOpened, 1);
            }

            _hasInHand = false;
            Monitor.PulseAll(_toOpen);
        }

        if (!tooLate || connection is null)
            return;
        connection.Shutdown(CloseCode.Shutdown, "The server has ended.");
        connection.Dispose();
    }

    /// <summary>No request is opened from here on, but the one in hand.</summary>
    /// <returns><see langword="false"/> when that takes too long.</returns>
    private bool WaitUntilOpened()
    {
        ulong end = Os.Current.Now() + CloseTimeoutMilliseconds * 1_000_000UL;
        lock (_toOpen)
        {
            _opensNoMore = true;
            while (_hasInHand)
            {
                ulong now = Os.Current.Now();
                if (now >= end)
                    return false;
                Monitor.Wait(_toOpen, (int)((end - now) / 1_000_000) + 1);
            }

            return true;
        }
    }
}
