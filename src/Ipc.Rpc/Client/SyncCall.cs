using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A call whose thread waits for it, reading the connection itself or sleeping while another thread
/// does.</summary>
internal abstract class SyncCall : PendingCall
{
    private const int Unsent = 0;
    private const int Waiting = 1;
    private const int Parked = 2;
    private const int Done = 3;

    private readonly int _thread = Environment.CurrentManagedThreadId; // each thread has calls of its own
    private int _state;

    private protected SyncCall()
        : base(hasThread: true)
    {
    }

    /// <summary>Where its thread sleeps.</summary>
    public Parker Parker { get; } = new();

    /// <inheritdoc/>
    public override bool NeedsTimer => false;

    public bool IsDone => Volatile.Read(ref _state) == Done; // [done]

    /// <summary>Whether nobody but its thread can touch it any more: nothing could ever have completed it, or somebody
    /// has. Only then it may be used again.</summary>
    public bool IsSettled => Volatile.Read(ref _state) is Unsent or Done; // [done]

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override void OnSending(CallEngine engine) => Volatile.Write(ref _state, Waiting); // [done]

    /// <summary>Says that the thread is about to sleep; it then looks at <see cref="IsDone"/>.</summary>
    public void Park() => Interlocked.CompareExchange(ref _state, Parked, Waiting); // [done]

    [MethodImpl(Tiering.Optimized)]
    private protected void Reset()
    {
        ResetCall();
        _state = Unsent; // its thread's alone
    }

    /// <summary>The last thing that is done to it; its thread may use it for another call from here on.</summary>
    [MethodImpl(Tiering.Optimized)]
    private protected void Complete()
    {
        if (Environment.CurrentManagedThreadId == _thread)
        {
            Volatile.Write(ref _state, Done); // [done] it reads its own answer: it does not sleep
            return;
        }

        Parker parker = Parker;
        if (Interlocked.Exchange(ref _state, Done) == Parked) // [done]
            parker.Signal();
    }
}
