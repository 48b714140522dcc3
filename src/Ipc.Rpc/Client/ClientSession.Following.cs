using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

// A server that ends in good order says how far it has handled the requests of each client; while it ends it answers
// those that come later as not handled. Such a call is made again at the server that comes next. While the old one
// still has calls of this client, its connection is left: it is read to its end, and new calls go elsewhere.
//
// Except for calls that a callback of that server makes: the old server waits for the call that waits for the
// callback, and its name is taken until it has ended. So they do not wait for the next one; they end, and nobody has
// handled them.

/// <content>From a server that is ending to the next one.</content>
internal sealed partial class ClientSession
{
    private const int ShortestLook = 5; // milliseconds, between two looks for a server that takes clients
    private const int LongestLook = 40;

    private readonly object _following = new(); // held while somebody waits for the next server
    private readonly List<ClientChannel> _left = new(); // its own lock

    /// <summary>A channel takes no further calls.</summary>
    public void Left(ClientChannel channel)
    {
        lock (_left)
            _left.Add(channel);
        if (channel.Ended is not null)
            Forget(channel); // it may have been forgotten already, by who ended it
        Interlocked.MemoryBarrier(); // [disposed] who disposes sees it there, or we see that
        if (Volatile.Read(ref _disposed))
            channel.End(ClosedHere());
    }

    /// <summary>How many channels were left, and have not ended: for tests.</summary>
    internal int LeftCount
    {
        get
        {
            lock (_left)
                return _left.Count;
        }
    }

    /// <summary>A channel has ended.</summary>
    public void Forget(ClientChannel channel)
    {
        lock (_left)
            _left.Remove(channel);
    }

    /// <summary>The connection whose callback is being handled here, if it is this client's.</summary>
    public ClientChannel? CallbackHere =>
        ServerCall.CurrentLink is ClientCalleeLink { Channel: { } channel } && ReferenceEquals(channel.BatchOwner, this)
            ? channel
            : null;

    /// <inheritdoc/>
    public void Follow(CallEngine stale, RpcMethod method, in CallRequest how, ref FollowedCall? followed)
    {
        if (!Options.AutoReconnect || ReferenceEquals(CallbackHere, stale.Link))
            throw stale.OfUnhandled().ToException(how.Cancel, method, Peer);
        followed ??= new FollowedCall(PatienceOf(in how));
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(how.Cancel, _closing.Token);
        TimeSpan before = followed.NextPause();
        if (before != TimeSpan.Zero)
        {
            ending.Token.WaitHandle.WaitOne(before < followed.Until.Remaining ? before : followed.Until.Remaining);
            ThrowIfOver(stale, method, in how, followed.Until, stale.OfUnhandled());
        }

        for (int pause = ShortestLook; !IsConnectedBut(stale); pause = Math.Min(pause * 2, LongestLook))
        {
            RpcFailure? failure = null;
            if (Monitor.TryEnter(_following, pause)) // else another thread is at it, for all
            {
                try
                {
                    if (TryFollow(stale, followed.Until, ending.Token, ref failure))
                        return;
                }
                finally
                {
                    Monitor.Exit(_following);
                }

                if (!followed.Until.HasPassed)
                    ending.Token.WaitHandle.WaitOne(pause);
            }

            ThrowIfOver(stale, method, in how, followed.Until, failure);
        }
    }

    private Deadline PatienceOf(in CallRequest how) => Deadline.Earlier(
        how.Deadline,
        Options.ConnectTimeout == Timeout.InfiniteTimeSpan
            ? Deadline.Never
            : Deadline.After(Options.ConnectTimeout));

    /// <param name="stale">Where the call was not handled.</param>
    /// <param name="method">What is called.</param>
    /// <param name="how">What else the request says.</param>
    /// <param name="until">When the next server had to be there.</param>
    /// <param name="failure">Why it is not.</param>
    private void ThrowIfOver(
        CallEngine stale, RpcMethod method, in CallRequest how, Deadline until, RpcFailure? failure)
    {
        ThrowIfDisposedMeanwhile(method);
        if (how.Cancel.IsCancellationRequested)
            throw RpcFailure.Cancelled(method).ToException(how.Cancel, method, Peer);
        if (how.Deadline.HasPassed)
            throw RpcFailure.Deadline(method).ToException(how.Cancel, method, Peer);
        if (failure is not null && (until.HasPassed || failure.Status != RpcStatus.Unavailable))
            throw failure.ToException(how.Cancel, method, Peer);
        if (until.HasPassed)
            throw (stale.Link.Ended?.OfUnsent() ?? NoSuccessor()).ToException(how.Cancel, method, Peer);
    }

    private bool TryFollow(
        CallEngine stale, Deadline patience, CancellationToken cancellationToken, ref RpcFailure? failure)
    {
        if (IsConnectedBut(stale))
            return true;
        try
        {
            Connection connection = Connection.Connect(_name, ConnectOptionsFor(patience), cancellationToken);
            lock (_connecting)
                TakeUnlessLate(connection);
            return IsConnectedBut(stale);
        }
        catch (IpcException e)
        {
            failure = e.Status == IpcStatus.Cancelled ? null : FailureOf(e, waited: true);
            return false;
        }
    }

    private RpcFailure NoSuccessor() => new(
        RpcStatus.Unavailable,
        PeerName.First(Peer) + " is stopping, and has no successor yet.",
        null,
        null,
        isUnsent: true);

    private void EndLeft()
    {
        ClientChannel[] left;
        lock (_left)
            left = _left.ToArray();
        foreach (ClientChannel channel in left)
            channel.End(ClosedHere());
    }
}
