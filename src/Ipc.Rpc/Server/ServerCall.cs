using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A request that is being handled.</summary>
/// <remarks>Used again for the next request when nobody else ever saw it: its handler returned at once and was not cancelled.</remarks>
internal sealed class ServerCall : IDisposable
{
    private CancellationTokenSource _source = new();
    private int _cancelled;
    private bool _armed;

    public ServerCall(ServerConnection connection) => Connection = connection;

    public ServerConnection Connection { get; }

    public FrameHeader Header { get; private set; }

    /// <summary>A stream's; <see langword="null"/> for a unary call.</summary>
    public StreamCredit? Credit { get; set; }

    /// <summary>It is in the connection's table, where frames for it are looked up. Under the connection's lock.</summary>
    public bool IsTracked { get; set; }

    /// <summary>It has been answered. Under the connection's lock.</summary>
    public bool IsFinished { get; set; }

    public CancellationToken Token => _source.Token;

    public bool IsCancelled => Volatile.Read(ref _cancelled) != 0 || _source.IsCancellationRequested;

    /// <summary>Whether it was the deadline that fired the token. (A timer may fire a moment early, so the clock is not asked.)</summary>
    public bool IsOverdue => Volatile.Read(ref _cancelled) == 0 && _source.IsCancellationRequested;

    public void Begin(in FrameHeader header)
    {
        Header = header;
        IsFinished = false;
    }

    /// <summary>Makes it ready for another request.</summary>
    /// <returns><see langword="false"/> when its token has fired or may still fire.</returns>
    public bool TryReset()
    {
        if (_armed || IsCancelled || Credit is not null || IsTracked)
            return false;
#if NET
        return _source.TryReset();
#else
        return true;
#endif
    }

    /// <summary>Lets the token fire at the deadline. Only for calls that are not over at once: most are.</summary>
    public void ArmDeadline()
    {
        if (Header.Deadline == 0 || _armed)
            return;

        _armed = true;
        TimeSpan remaining = Deadline.FromNanoseconds(Header.Deadline).Remaining;
        if (remaining.TotalMilliseconds < int.MaxValue)
            _source.CancelAfter((int)Math.Ceiling(remaining.TotalMilliseconds));
    }

    /// <summary>Fires the token, on the thread pool: what handlers have registered must not hold up who reads.</summary>
    public void Cancel()
    {
        if (Interlocked.Exchange(ref _cancelled, 1) == 0)
            ThreadPool.QueueUserWorkItem(static state => ((ServerCall)state!).Fire(), this);
    }

    public void Dispose() => _source.Dispose();

    private void Fire()
    {
        try
        {
            _source.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The call ended first.
        }
        catch (AggregateException)
        {
            // A handler's own registration threw; the handler sees its token all the same.
        }
    }
}
