using System;
using System.Diagnostics;
using System.Threading;

namespace Ipc.Rpc;

/// <content>How calls and the channel itself end.</content>
internal sealed partial class ClientChannel
{
    /// <summary>Of a call that was pending when the connection ended.</summary>
    private const string NotKnown = "Whether the server handled the call is not known.";

    // a reader that is not in code of the user's is through by then, mostly
    private const int QuickLooks = 100;

    private long _restUntil; // [once] 0 before the server was found gone
    private bool _readingIsOver; // the turn was taken for good
    private int _freed; // [once]

    /// <summary>Another thread that reads is through by then, also on a busy machine, unless it runs code of the
    /// user's. Tests make it longer.</summary>
    internal TimeSpan MomentForTheRest { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Ends the channel and every call on it. Any thread; never waits. Only the first reason counts.</summary>
    public void End(RpcFailure reason)
    {
        if (Interlocked.CompareExchange(ref _ended, reason, null) is not null) // [ended]
            return;

        _connection.Shutdown(CloseCode.Normal, string.Empty); // no effect if a code was set before
        _ring.Stop();
        _replies.Stop();
        Engine.EndAll(reason);
        _requests.Clear();
        _callee?.Close();
        _owner.Forget(this);
        TellEnd();
        RpcCensus.Remove(this);
        _background.Stop();
        _turn.SayOver(); // [freed] every call has been ended
        Free();
    }

    /// <inheritdoc/>
    /// <remarks>What was published before the end is still ours: the answers of a server that has waited for its calls
    /// before it went. Another thread that reads comes to the end by itself: whoever may waits for it, all of them for
    /// the same moment, and after that reads on where it left off, or does without the rest.</remarks>
    public override void EndGone(Deadline deadline, CancellationToken cancellationToken)
    {
        Deadline patience = PatienceForTheRest();
        for (int looks = 0; _ended is null; looks++)
        {
            if (_turn.IsMine)
            {
                if (!HasRest())
                    break;
                _background.Watch(); // what this thread reads is under way: the rest comes after that, and then the end
                return;
            }

            if (_turn.TryTake())
            {
                try
                {
                    ReadTheRest();
                }
                finally
                {
                    LeaveTurn();
                }

                break;
            }

            if (patience.HasPassed)
                break;
            if (deadline.HasPassed || cancellationToken.IsCancellationRequested)
                return;
            if (looks < QuickLooks)
                Thread.Yield();
            else
                Thread.Sleep(1); // it is in code of the user's: nothing tells when that comes back
        }

        End(ReasonOfPeer());
    }

    /// <summary>As <see cref="EndGone"/>, if the server has gone. For a thread of the client's own: another one that
    /// could not wait has left that to it.</summary>
    public void EndIfGone(CancellationToken cancellationToken)
    {
        // A server that was found gone stays so, whatever it writes.
        if (_ended is not null || (Volatile.Read(ref _restUntil) == 0 && _connection.IsOpen)) // [once]
            return;
        try
        {
            if (_turn.TryTake())
            {
                try
                {
                    if (!HasRest())
                        End(ReasonOfPeer());
                }
                finally
                {
                    LeaveTurn();
                }
            }

            // The rest may run code of the user's, for as long as it likes: this thread is needed. Nothing tells it
            // when that has ended: the channel may, by any thread, or time.
            _background.Watch();
            for (Deadline patience = PatienceForTheRest(); _ended is null && !patience.HasPassed; Thread.Sleep(1))
            {
                if (cancellationToken.IsCancellationRequested)
                    return;
            }

            End(ReasonOfPeer());
        }
#pragma warning disable CA1031 // as in BackgroundReader: nobody above could do anything about what is read here
        catch (Exception e)
#pragma warning restore CA1031
        {
            EndUnexpectedly(e);
        }
    }

    /// <summary>From when somebody first found the server gone.</summary>
    private Deadline PatienceForTheRest()
    {
        long mine = (long)Deadline.After(MomentForTheRest).Nanoseconds;
        long first = Interlocked.CompareExchange(ref _restUntil, mine, 0); // [once]
        return Deadline.FromNanoseconds((ulong)(first == 0 ? mine : first));
    }

    /// <summary>Whether what the server had sent is not read to its end. The caller has the turn.</summary>
    private bool HasRest()
    {
        try
        {
            return _replies.Wait(Deadline.Now) == IpcStatus.Ok;
        }
        catch (CorruptRegionException)
        {
            return true; // whoever reads it says so
        }
    }

    /// <summary>No more than a ring can hold: a server may close and write on. The caller has the turn.</summary>
    private void ReadTheRest()
    {
        long left = _mostLeft;
        while (_ended is null && ReadOne(Deadline.Now, CancellationToken.None) == IpcStatus.Ok && --left != 0)
        {
        }
    }

    /// <summary>Frees the mapping once nobody reads and nobody writes. Called by whoever may have been the
    /// last.</summary>
    private void Free()
    {
        if (!_turn.IsOver) // [freed]
            return;
        if (!Volatile.Read(ref _readingIsOver)) // [freed]
        {
            if (!_turn.TryTake())
                return; // the reader comes here when it leaves
            Volatile.Write(ref _readingIsOver, true);
            Interlocked.MemoryBarrier(); // [freed]
        }

        if (Monitor.IsEntered(_write) || !Monitor.TryEnter(_write))
            return; // the writer comes here when it leaves
        try
        {
            if (Interlocked.Exchange(ref _freed, 1) == 0)
            {
                _connection.Dispose();
                s_open.TryRemove(_connection, out _);
            }
        }
        finally
        {
            Monitor.Exit(_write);
        }
    }

    /// <summary>Reading, or what goes on behind it, threw what it must not: nothing after that can be relied upon, but
    /// every call ends.</summary>
    public override void EndUnexpectedly(Exception e)
    {
        Trace.TraceError("The connection to " + Peer + " failed: " + ErrorText.Whole(e));
        End(
            new RpcFailure(
                RpcStatus.Internal,
                "The connection to " + Peer + " failed and was closed: " + ErrorText.Of(e),
                null,
                e));
    }

    /// <summary>The server calls and does not read the answers: they may not fill this process.</summary>
    private void EndOverflown()
    {
        string text = PeerName.First(Peer) + " does not read: more than " + _maxUnsent +
            " bytes for it wait for room (RpcClientOptions.MaxUnsentBytes).";
        End(new RpcFailure(RpcStatus.ResourceExhausted, text));
    }

    private RpcFailure Corrupted(CorruptRegionException e)
        => new(
            RpcStatus.DataLoss,
            "What " + Peer + " wrote is not a ring, and the connection was closed: " + e.Message,
            null,
            e);

    private RpcFailure ReasonOfPeer() => _connection.PeerCloseCode == CloseCode.None ? Died() : Closed();

    private RpcFailure ReasonOf(IpcStatus status)
    {
        return status switch
        {
            IpcStatus.PeerDied => Died(),
            IpcStatus.PeerClosed => Closed(),
            IpcStatus.Closed or IpcStatus.Stopped =>
                RpcFailure.OfConnection("The connection to " + Peer + " was closed on this side."),
            _ => RpcFailure.OfConnection("The connection to " + Peer + " ended: " + status + "."),
        };
    }

    private RpcFailure Died()
        => RpcFailure.OfConnection(
            PeerName.First(Peer) + " died.",
            NotKnown);

    private RpcFailure Closed()
    {
        string? text = _connection.PeerCloseText;
        return RpcFailure.OfConnection(
            PeerName.First(Peer) + " closed the connection" + (string.IsNullOrEmpty(text) ? "." : ": " + text),
            NotKnown,
            (_connection.PeerCloseCode == CloseCode.Shutdown ? _connection.PeerHandledTo : null) ?? long.MaxValue);
    }
}
