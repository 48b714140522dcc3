using System;
using System.Threading;

namespace Ipc.Rpc;

// The source is moved on by whatever thread it completes on; the first time by the caller's own. Nothing here waits for
// the source once the call has ended: its token fires, and it is disposed as soon as it comes back.

/// <summary>The stream that a caller sends, from its source to the ring.</summary>
#pragma warning disable CA1001 // its token source has neither a timer nor a handle
internal abstract class Upload
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _stop = new();
    private int _stopped; // [once]

    /// <summary>How many more items the callee takes.</summary>
    public StreamCredit Credit { get; } = new(FrameHeader.FirstClientCredit);

    private protected CancellationToken Stopped => _stop.Token;

    /// <summary>The request has been sent: items may follow.</summary>
    public abstract void Start(CallEngine engine, PendingCall call);

    /// <summary>The callee takes more.</summary>
    /// <returns>What is wrong with that; <see langword="null"/> if nothing.</returns>
    public string? OnCredit(ItemCredit more)
        => Credit.Give(more)
            ? null
            : "A credit frame gives " + more.Items + " items and " + more.Bytes + " bytes, beyond what can be counted.";

    /// <summary>The call has ended. On the thread pool: what the source has registered must not hold up who
    /// reads.</summary>
    public void Stop()
    {
        if (Interlocked.Exchange(ref _stopped, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static state => ((Upload)state!).Fire(), this);
    }

    private void Fire()
    {
        try
        {
            _stop.Cancel();
        }
        catch (AggregateException)
        {
            // A registration of the source threw; the call is over, and nobody is left to be told.
        }
    }
}
