using System.Threading;

namespace Ipc;

/// <summary>A lock for what must not end in the middle: who waits for it cannot be interrupted
/// (<see cref="Thread.Interrupt"/>). Held for a few calls of the system.</summary>
internal sealed class QuietLock
{
    private const int Yields = 50;

    private int _taken;

    public void Enter()
    {
        for (int attempt = 0; Atomic.Exchange(ref _taken, 1) != 0; attempt++)
        {
            if (attempt < Yields)
                Thread.Yield();
            else
                WindowsNative.Sleep(1); // Thread.Sleep can be interrupted
        }
    }

    public void Leave() => Atomic.StoreRelease(ref _taken, 0);
}
