using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Ipc.Pipelines;

/// <summary>Waits by returning the connection to its listener, whose loop gives it back when there is
/// something.</summary>
internal sealed class ListenerReadiness : Readiness, IValueTaskSource<bool>
{
    private const int Lent = 0;     // ours to look at
    private const int Returned = 1; // the listener's; nobody waits
    private const int Awaited = 2;  // the listener's; a read waits

    private readonly object _sync = new();
    private readonly Listener _listener;
    private readonly Connection _connection;
    private ManualResetValueTaskSourceCore<bool> _core;
    private int _place; // [lent]: changed under the lock; who reads is who has it lent
    private bool _cancelled; // since it was prepared
    private bool _closed;
    private bool _ended;

    public ListenerReadiness(Listener listener, Connection connection)
    {
        _listener = listener;
        _connection = connection;
    }

    public override bool MayLook => Volatile.Read(ref _place) == Lent;

    public override void Prepare()
    {
        lock (_sync)
            _cancelled = false;
    }

    public override ValueTask<bool> WaitAsync()
    {
        bool giveBack;
        short version;
        lock (_sync)
        {
            if (_closed || _ended)
                return new ValueTask<bool>(false);
            if (_cancelled)
                return new ValueTask<bool>(true);
            giveBack = _place == Lent;
            _core.Reset();
            version = _core.Version;
            _place = Awaited;
        }

        if (giveBack)
            _listener.Return(_connection); // from here on it may be signalled
        return new ValueTask<bool>(this, version);
    }

    public override bool Wait()
    {
        ValueTask<bool> wait = WaitAsync();
        return wait.IsCompleted ? wait.Result : wait.AsTask().GetAwaiter().GetResult();
    }

    public override void Cancel()
    {
        lock (_sync)
        {
            _cancelled = true;
            if (_place != Awaited)
                return;
            _place = Returned;
        }

        ThreadPool.QueueUserWorkItem(static self => ((ListenerReadiness)self!)._core.SetResult(true), this);
    }

    public override void Close()
    {
        lock (_sync)
        {
            _closed = true;
            if (_place != Awaited)
                return;
            _place = Returned;
        }

        ThreadPool.QueueUserWorkItem(static self => ((ListenerReadiness)self!)._core.SetResult(false), this);
    }

    /// <summary>The listener's loop has it lent. True: a read waits, and <see cref="Complete"/> is to be called, once,
    /// on a thread of the pool.</summary>
    /// <param name="ended">The client has gone, and everything is read: it is not returned any more.</param>
    public bool TryTake(bool ended)
    {
        lock (_sync)
        {
            bool awaited = _place == Awaited;
            _ended = ended;
            Volatile.Write(ref _place, Lent);
            return awaited;
        }
    }

    /// <summary>Runs what awaits, here.</summary>
    public void Complete() => _core.SetResult(true);

    bool IValueTaskSource<bool>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
