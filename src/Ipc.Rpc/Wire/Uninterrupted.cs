using System.Threading;

namespace Ipc.Rpc;

// A thread of the user's reads for others while it waits for its own answer. Thread.Interrupt ends its wait. It must
// not end what the thread is just doing for somebody else: a call that was taken from its slot and is not completed
// would never end.

/// <summary>Locks that are held for a moment, whose taking <see cref="Thread.Interrupt"/> does not end: it is kept for
/// the next real wait.</summary>
internal static class Uninterrupted
{
    /// <summary>Takes the lock; to be given back by <see cref="Monitor.Exit"/>.</summary>
    public static void Enter(object gate)
    {
        if (!Monitor.TryEnter(gate))
            EnterSlowly(gate);
    }

    private static void EnterSlowly(object gate)
    {
        bool interrupted = false;
        while (true)
        {
            try
            {
                Monitor.Enter(gate);
                break;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }

        if (interrupted)
            Thread.CurrentThread.Interrupt();
    }
}
