namespace Ipc;

/// <content>Another server takes the name.</content>
public sealed unsafe partial class Listener
{
    private const ulong UnsureSleep = 10_000_000; // ns

    private bool _unsure; // the leader's: somebody takes the name, and is not done with it
    private int _followed;
    private int _toldOfFollowed; // the event was handed out

    /// <summary>Another server has taken the name (<see cref="ListenerOptions.TakeOver"/>). Seen at once, also before
    /// <see cref="ListenerEventKind.Followed"/> is there for who waits in this listener: what was asked before it said
    /// false was asked before the name was taken. Any thread; it checks the directory only when somebody says that he
    /// has the name.</summary>
    public bool IsFollowed
    {
        get
        {
            if (KnowsOfSuccessor)
                return true;
            if (!_options.TakeOver || !_region.View.TryUse())
                return false;
            try
            {
                return Atomic.LoadAcquire(ref _header->ServerState) == ListenerHeader.Followed && // [follow]
                    !Os.Current.LeadsTo(_region.Path, _region.File!);
            }
            finally
            {
                _region.View.Unuse();
            }
        }
    }

    private bool KnowsOfSuccessor => Atomic.LoadAcquire(ref _followed) != 0;

    private ulong LongestSleep => _unsure ? UnsureSleep : ulong.MaxValue;

    /// <summary>It was said that another one has the name. Has he? Then it stays so; else (he was killed, or it was
    /// said by somebody else) it is taken back. Under the region lock, with which the name is taken: while that is
    /// another's nothing is known.</summary>
    private void LookForSuccessor()
    {
        _unsure = false;
        if (KnowsOfSuccessor ||
            Atomic.LoadAcquire(ref _header->ServerState) != ListenerHeader.Followed) // [follow]
        {
            return;
        }

        if (!_region.TryLock(Deadline.Now))
        {
            _unsure = true;
            return;
        }

        bool followed;
        try
        {
            followed = !Os.Current.LeadsTo(_region.Path, _region.File!);
            FaultPoints.Pass(FaultPoints.ListenerFollowLooked);
            if (!followed)
                Atomic.StoreRelease(ref _header->ServerState, ListenerHeader.Open); // [follow]
        }
        finally
        {
            _region.Unlock();
        }

        if (!followed)
            return;
        Atomic.StoreRelease(ref _followed, 1);
        _events.Enqueue(new ListenerEvent(ListenerEventKind.Followed, null!));
    }
}
