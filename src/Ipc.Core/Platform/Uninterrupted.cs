using System;
using System.Threading;

namespace Ipc;

/// <summary>What <see cref="Thread.Interrupt"/> must not leave half done: the end of a wait, and leaving. It is kept
/// for the thread's next wait.</summary>
/// <remarks>An object whose Dispose ends in the middle is a participant that lives and does nothing: writers wait for
/// such a reader, and others for what it holds, as long as its process runs. And it is Dispose that is met: a thread is
/// interrupted to end it, and on its way out it disposes what it has.</remarks>
internal static class Uninterrupted
{
    /// <param name="action">Does nothing more when it is done again after an interruption than if it had been done
    /// once.</param>
    /// <param name="state">For it.</param>
    public static void Do<T>(Action<T> action, T state)
    {
        bool interrupted = false;
        for (; ; )
        {
            try
            {
                action(state);
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
