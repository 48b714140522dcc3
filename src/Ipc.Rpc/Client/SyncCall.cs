using System.Threading;

namespace Ipc.Rpc;

/// <summary>A call whose thread waits for it, reading the connection itself or sleeping while another thread does.</summary>
internal abstract class SyncCall : PendingCall
{
    private const int Waiting = 0;
    private const int Parked = 1;
    private const int Done = 2;

    private int _state;

    /// <summary>Where its thread sleeps.</summary>
    public Parker Parker { get; } = new();

    /// <inheritdoc/>
    public override bool NeedsTimer => false;

    public bool IsDone => Volatile.Read(ref _state) == Done;

    /// <summary>Says that the thread is about to sleep; it then looks at <see cref="IsDone"/>.</summary>
    public void Park() => Interlocked.CompareExchange(ref _state, Parked, Waiting);

    private protected void Reset()
    {
        ResetCall();
        Volatile.Write(ref _state, Waiting);
    }

    /// <summary>The last thing that is done to it; its thread may use it for another call from here on.</summary>
    private protected void Complete()
    {
        Parker parker = Parker;
        if (Interlocked.Exchange(ref _state, Done) == Parked)
            parker.Signal();
    }
}
