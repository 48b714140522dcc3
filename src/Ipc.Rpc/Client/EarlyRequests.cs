using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

// No asynchronous call connects on its caller's thread: a server that is there and does not answer would keep it for
// seconds. What it asks is written into an array and waits here, in order, within a bound, until the client's thread
// for that (ClientSession.Aside.cs) has a connection, which takes all of it before anybody else can call on it.
//
// The gate is held for moments: by nobody who waits for a lock of a connection, or runs anybody's code. Whoever removes
// a request is the one who ends it.

/// <summary>The asynchronous requests of a client that has no connection.</summary>
#pragma warning disable CA1001 // the timer fires once at most, and does nothing when nothing waits
internal sealed class EarlyRequests
#pragma warning restore CA1001
{
    private readonly LinkedList<EarlyRequest> _requests = new();
    private readonly long _mostBytes;
    private readonly int _most;
    private Timer? _timer;
    private ulong _due = ulong.MaxValue;
    private long _bytes;
    private long _numbers;

    /// <param name="mostBytes">How many bytes may wait; one request may, of whatever length, and those that are made
    /// again.</param>
    /// <param name="most">How many requests may.</param>
    public EarlyRequests(long mostBytes, int most)
    {
        _mostBytes = mostBytes;
        _most = most;
    }

    /// <summary>Guards everything in here, and what decides whether a request has to wait here.</summary>
    public object Gate { get; } = new();

    /// <summary>Under the gate, as everything but <see cref="TryRemove"/>.</summary>
    public int Count => _requests.Count;

    /// <summary>The number of the newest one.</summary>
    public long Newest => _numbers;

    public EarlyRequest? First => _requests.First?.Value;

    /// <summary>Is told, without the gate, when the last one has ended: nobody needs a connection any more.</summary>
    public Action<bool>? Emptied { get; set; }

    /// <summary>Puts one behind all others.</summary>
    /// <returns>Why it may not wait; <see langword="null"/> when it does.</returns>
    public RpcFailure? Add(EarlyRequest request, string peer)
    {
        if (Count >= _most)
            return TooMany(request, _most + " of them may be pending (RpcClientOptions.MaxPendingCalls)");
        if (Count != 0 && !request.How.Setup.MayExceed && request.Frame.Length > _mostBytes - _bytes)
            return TooMany(
                request,
                "there is no connection to " + peer + " yet, and " + _mostBytes +
                    " bytes of requests may wait for one (RpcClientOptions.MaxQueuedBytes)");

        _bytes += request.Frame.Length;
        request.Number = ++_numbers;
        request.Place = _requests.AddLast(request);
        FireAt(request.How.Deadline.Nanoseconds);
        return null;
    }

    /// <summary>Takes one out.</summary>
    public void Remove(EarlyRequest request)
    {
        _requests.Remove(request.Place!);
        request.Place = null;
        _bytes -= request.Frame.Length;
    }

    /// <summary>Takes out those up to a number.</summary>
    public List<EarlyRequest> TakeUpTo(long number)
    {
        var taken = new List<EarlyRequest>();
        while (First is { } first && first.Number <= number)
        {
            Remove(first);
            taken.Add(first);
        }

        return taken;
    }

    /// <summary>Takes one out because its caller wants it no more.</summary>
    /// <returns><see langword="false"/> when it is not here: a connection has it, or it has ended.</returns>
    public bool TryRemove(EarlyRequest request)
    {
        bool emptied;
        Uninterrupted.Enter(Gate);
        try
        {
            if (request.Place is null)
                return false;
            Remove(request);
            emptied = Count == 0;
        }
        finally
        {
            Monitor.Exit(Gate);
        }

        if (emptied)
            Emptied?.Invoke(false);
        return true;
    }

    private static RpcFailure TooMany(EarlyRequest request, string why)
        => new(RpcStatus.ResourceExhausted, "A call to " + request.Method.FullName + " was not sent: " + why + ".");

    private void FireAt(ulong deadline)
    {
        if (deadline >= _due)
            return;

        _due = deadline;
        _timer ??= CleanTimer.Make(static state => ((EarlyRequests)state!).EndOverdue(), this);
        _timer.Change(
            (long)CallTimer.PauseUntil(Deadline.FromNanoseconds(deadline)).TotalMilliseconds, Timeout.Infinite);
    }

    private void EndOverdue()
    {
        var overdue = new List<EarlyRequest>();
        bool emptied;
        Uninterrupted.Enter(Gate);
        try
        {
            _due = ulong.MaxValue;
            ulong next = ulong.MaxValue;
            for (LinkedListNode<EarlyRequest>? node = _requests.First, after; node is not null; node = after)
            {
                after = node.Next;
                if (node.Value.How.Deadline.HasPassed)
                {
                    overdue.Add(node.Value);
                    Remove(node.Value);
                }
                else
                {
                    next = Math.Min(next, node.Value.How.Deadline.Nanoseconds);
                }
            }

            FireAt(next);
            emptied = overdue.Count != 0 && Count == 0;
        }
        finally
        {
            Monitor.Exit(Gate);
        }

        foreach (EarlyRequest each in overdue)
            each.End(RpcFailure.Deadline(each.Method));
        if (emptied)
            Emptied?.Invoke(true);
    }
}
