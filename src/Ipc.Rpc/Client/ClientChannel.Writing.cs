using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// A request that does not fit into the ring goes to a queue, and so does every later one: whoever holds the write lock
// sends them as room appears, in order. So an asynchronous call never waits for the server to read. A thread that waits
// for its call anyway may wait for room in the ring itself, with the write lock: it is woken as soon as there is some.
// Others then want the lock and need not wait for that [room]: the thread says that it waits, fences, and looks whether
// somebody wants the lock; who wants it says so (interlocked), and then looks whether somebody waits, and interrupts
// it. One of the two sees the other. An interruption that comes too late ends the next wait early, no more.

/// <content>Writing: who may, and what happens to requests for which there is no room.</content>
internal sealed partial class ClientChannel
{
    private const int WaitSlice = 1; // milliseconds: the server may itself be waiting for us to read
    // 100 us: a server that is reading makes room sooner
    private static readonly TimeSpan _momentForRoom = TimeSpan.FromTicks(1000);

    private int _wanted; // threads that want the write lock
    private bool _waitsForRoom; // of the thread that has it

    /// <inheritdoc/>
    public override bool IsEncodingHere => Monitor.IsEntered(_write) && _builder.IsEncoding;

    /// <inheritdoc/>
    public override bool IsReadHere => IsReadInlineHere || _turn.IsMine;

    private bool IsReadInlineHere =>
        CalleeLink.InlineHere is ClientCalleeLink inline && ReferenceEquals(inline.Channel, this);

    /// <inheritdoc/>
    public override bool HasQueued => _requests.HasAny;

    [MethodImpl(Tiering.Optimized)]
    public override void EnterWrite(
        RpcMethod method, bool mayWait, Deadline deadline, CancellationToken cancellationToken)
    {
        if (!Monitor.TryEnter(_write))
            EnterSlowly(method, deadline, cancellationToken);
        if (!_builder.IsEncoding)
            return;

        Monitor.Exit(_write); // not the last one: this thread has it
        throw Encoding(method);
    }

    private void EnterSlowly(RpcMethod method, Deadline deadline, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _wanted); // [room]
        try
        {
            while (true)
            {
                if (Volatile.Read(ref _waitsForRoom)) // [room]
                    _ring.Stop();
                double remaining = Math.Ceiling(deadline.Remaining.TotalMilliseconds);
                if (Monitor.TryEnter(_write, (int)Math.Max(0, Math.Min(remaining, LockSlice))))
                    return;
                if (cancellationToken.IsCancellationRequested)
                    throw RpcFailure.Cancelled(method).ToException(cancellationToken, method, Peer);
                if (deadline.HasPassed)
                    throw RpcFailure.Deadline(method).ToException(cancellationToken, method, Peer);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _wanted); // [room]
        }
    }

    [MethodImpl(Tiering.Optimized)]
    public override void ExitWrite()
    {
        Monitor.Exit(_write);
        AfterWrite();
    }

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override bool MayGoIntoRing() => !_requests.HasAny || _requests.Flush(_builder);

    /// <inheritdoc/>
    public override bool MakeRoom(RpcMethod method, bool mayExceed, bool isAwaited, out QueuedFrame? queued)
    {
        queued = null;
        if (!_requests.HasAny)
        {
            switch (_builder.ClaimSpilled(Deadline.After(_momentForRoom), CancellationToken.None))
            {
                case IpcStatus.Ok:
                    return true;
                case IpcStatus.Stopped when _ended is null:
                    Resume(); // it was meant for an earlier wait
                    break;
                case IpcStatus.Timeout:
                    break;
                case IpcStatus.PeerClosed or IpcStatus.PeerDied:
                    mayExceed = true; // it waits until the lock is given back: then what the server has sent is read
                    break;
                case IpcStatus.Stopped or IpcStatus.Closed when _ended is not null:
                    mayExceed = true; // the same: who gives the lock back finds it unsent
                    break;
                case var status:
                    End(ReasonOf(status));
                    throw Ended!.OfUnsent().ToException(CancellationToken.None, method, Peer);
            }
        }

        var frame = new QueuedFrame(_builder.Spilled.ToArray(), isAwaited);
        _builder.Trim();
        if (!_requests.Add(frame, mayExceed))
        {
            string text = "A call to " + method.FullName + " was not sent: " + Peer + " does not read, and " +
                _requests.MostBytes + " bytes of requests may wait for it (RpcClientOptions.MaxQueuedBytes).";
            throw new RpcCallException(RpcStatus.ResourceExhausted, null, text, null, null, method, Peer);
        }

        queued = frame;
        return false;
    }

    /// <summary>Takes the write lock of a channel that nobody calls on yet, to <see cref="Take"/> what waited for
    /// it.</summary>
    public void BeginTaking() => Uninterrupted.Enter(_write);

    /// <summary>Takes over a request that waited for this channel.</summary>
    /// <returns>Why it cannot be sent; <see langword="null"/> if it can.</returns>
    public RpcFailure? Take(EarlyRequest early) => Engine.Take(early, _requests);

    /// <summary>Gives the write lock back, and sends what was taken over.</summary>
    public void EndTaking(List<EarlyRequest> taken)
    {
        ExitWrite();
        foreach (EarlyRequest each in taken)
            Engine.EndMissed(each);
        if (taken.Count != 0)
            WakeReader();
    }

    /// <inheritdoc/>
    public override bool TryUnqueue(QueuedFrame queued) => _requests.TryRemove(queued);

    /// <inheritdoc/>
    public override void WaitUntilSent(QueuedFrame queued, Deadline deadline, CancellationToken cancellationToken)
    {
        if (IsReadHere)
            return; // nobody would read meanwhile
        while (queued.IsWaiting && _ended is null && !deadline.HasPassed && !cancellationToken.IsCancellationRequested)
        {
            ReadWhatIsThere();
            var slice = Deadline.Earlier(Deadline.After(TimeSpan.FromMilliseconds(WaitSlice)), deadline);
            if (!Monitor.TryEnter(_write, WaitSlice))
                continue; // somebody writes, or waits for room: for all
            bool isGone = false;
            try
            {
                isGone = _ended is null && !_requests.Flush(_builder) && !TryWaitForRoom(slice, cancellationToken);
            }
            catch (CorruptRegionException e)
            {
                End(Corrupted(e));
            }
            finally
            {
                ExitWrite();
            }

            if (isGone)
                EndGone(deadline, cancellationToken);
            if (Volatile.Read(ref _wanted) != 0) // [room]
                // gives way, and waits for nothing: a lock that is taken again at once is nobody else's
                Thread.Sleep(0);
        }
    }

    /// <summary>Waits until there is room for the first request in the queue, or somebody wants the lock, which the
    /// caller has.</summary>
    /// <returns><see langword="false"/> when the server has gone: <see cref="EndGone"/> is due.</returns>
    private bool TryWaitForRoom(Deadline deadline, CancellationToken cancellationToken)
    {
        int length = _requests.FirstLength;
        if (length == 0)
            return true;

        Volatile.Write(ref _waitsForRoom, true);
        Interlocked.MemoryBarrier(); // [room]
        IpcStatus status = Volatile.Read(ref _wanted) != 0
            ? IpcStatus.Stopped
            : _builder.WaitForRoom(length, deadline, cancellationToken);
        Volatile.Write(ref _waitsForRoom, false); // [room] who still reads true interrupts a later wait
        switch (status)
        {
            case IpcStatus.Ok:
                _requests.Flush(_builder);
                return true;
            case IpcStatus.Stopped:
                Resume();
                return true;
            case IpcStatus.Timeout or IpcStatus.Cancelled:
                return true;
            case IpcStatus.PeerClosed or IpcStatus.PeerDied:
                return false;
            default:
                End(ReasonOf(status));
                return true;
        }
    }

    /// <summary>Lets the ring wait again, unless it was stopped for good: who ends says so before.</summary>
    private void Resume()
    {
        _ring.Resume(); // a full fence [ended]
        if (Ended is not null)
            _ring.Stop();
    }

    [MethodImpl(Tiering.Optimized)]
    private void AfterWrite()
    {
        // [control] a frame left behind while we held the lock is ours to send; [ended] [deadline] [engine] [batch] for
        // what was done under the lock; [freed]
        Interlocked.MemoryBarrier();
        if (_control.HasAny || _requests.HasAny)
            FlushControl();
        if (Volatile.Read(ref _readingIsOver)) // [freed]
            Free();
    }

    /// <summary>Sends frames that were left behind, unless another thread is about to.</summary>
    public override void FlushControl()
    {
        bool go = true;
        bool isGone = false;
        while (go && (_control.HasAny || _requests.HasAny) && Monitor.TryEnter(_write))
        {
            try
            {
                if (_builder.IsEncoding)
                    return; // this thread, in a message: it comes here again when that is written
                go = _ended is null && _control.Flush(_builder, Transit) && _requests.Flush(_builder);
                if (go)
                    Engine.HasRoom();
                else if (_ended is null)
                    isGone = !CheckPeer();
            }
            catch (CorruptRegionException e)
            {
                go = false;
                End(Corrupted(e));
            }
            finally
            {
                Monitor.Exit(_write);
                Interlocked.MemoryBarrier(); // [control] [freed]
            }
        }

        if (isGone)
            EndGone(Deadline.Now, CancellationToken.None); // whoever reads comes to the end; else we come again
        if (!go && _ended is null)
            Engine.RetrySoon(); // the ring is full, and perhaps nobody else has anything to send
        if (Volatile.Read(ref _readingIsOver)) // [freed]
            Free();
    }
}
