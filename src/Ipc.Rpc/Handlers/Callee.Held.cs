using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Requests that have been read and whose handlers have not begun.</content>
internal sealed partial class Callee
{
    private int _held; // [peek] of _calls: those that wait for their turn
    private long _heldBytes; // [count] of those, and of what waits for a thread

    /// <summary>Whether the connection should not be read: calls of it wait for their turn, and none runs that what
    /// comes next could be for.</summary>
    /// <remarks>While one does run, the connection is read on, because credit, items and cancellation come behind the
    /// requests that wait; these are then kept in memory, as many as may be pending and as long as may be
    /// kept.</remarks>
    public bool MustWait
    {
        get
        {
            if (Volatile.Read(ref _held) == 0)
                return false;
            lock (_calls)
                return _held != 0 && (_calls.Count <= _held || _calls.Count >= Host.Rules.MaxPendingCalls);
        }
    }

    /// <summary>Makes room for a request that waits. By whoever reads, one at a time.</summary>
    /// <returns><see langword="false"/> when as much waits as may.</returns>
    public bool TryKeep(int bytes)
    {
        if (Interlocked.Read(ref _heldBytes) >= Host.Rules.MaxHeldBytes)
            return false;

        Interlocked.Add(ref _heldBytes, bytes);
        return true;
    }

    /// <summary>A request that was kept waits no more.</summary>
    public void LetGo(int bytes) => Interlocked.Add(ref _heldBytes, -bytes);

    /// <summary>Ends a call that would have to wait and may not.</summary>
    public void RefuseHeld(ServerCall call)
    {
        string text = "A call to " + call.Handler.Method.FullName + " did not begin: requests of " +
            Host.Rules.MaxHeldBytes + " bytes of this connection wait for their turn already (" +
            Host.Rules.HeldBytesOption + ").";
        if (call.Header.IsOneWay)
            Host.CountFailedOneWay(call.Handler.Method, RpcStatus.ResourceExhausted, text);
        else if (TryAnswer(call))
            Link.SendError(call, RpcStatus.ResourceExhausted, new ErrorBody(null, text));
        if (call.Once is { } once)
            AbandonOnce(call, once);
        Finish(call);
    }

    /// <summary>Keeps a call that may not begin yet, and sees to it that it begins when it may.</summary>
    public void Hold(HeldCall call)
    {
        lock (_calls)
            _held++;
        Track(call.Call);
        call.Call.Turns!.Queue(call);
        bool closed;
        lock (_calls)
            closed = _closed; // whoever closes looks into the lines after saying so
        if (closed)
            DropHeld();
    }

    /// <summary>A call that was held may begin.</summary>
    public void StartHeld(HeldCall call)
    {
        lock (_calls)
            _held--;
        Link.ReadOn();
        Host.Threads.Run(call);
    }

    /// <summary>Runs a handler on a thread of its own.</summary>
    public void RunElsewhere(HeldCall call)
    {
        Track(call.Call);
        Host.Threads.Run(call);
    }

    /// <summary>The connection is over: what waits for its turn goes at once, and never runs. Who has gone could
    /// otherwise come again and leave as much once more.</summary>
    private void DropHeld()
    {
        var dropped = new List<HeldCall>();
        _order?.Forget(this, dropped); // first: what leaves the other line lets nobody in from this one
        Host.Limit?.Forget(this, dropped);
        lock (_calls)
        {
            _held -= dropped.Count;
            while (_crowd.Count != 0)
                dropped.Add(_crowd.Dequeue());
        }

        if (dropped.Count != 0)
            ThreadPool.UnsafeQueueUserWorkItem(static state => ((List<HeldCall>)state!).ForEach(Drop), dropped);
    }

    private static void Drop(HeldCall call) => call.Run(); // which finds it cancelled
}
