using System;
using System.Threading.Tasks;
using Ipc;

namespace Snippets;

internal static class Locks
{
    public static Task Run()
    {
        // snippet: mutex
        using SharedMutex mutex = SharedMutex.Open("ledger.lock");
        switch (mutex.Acquire(Deadline.After(TimeSpan.FromSeconds(5))))
        {
            case IpcStatus.Ok:
                break;
            case IpcStatus.Abandoned:
                Console.WriteLine("the last holder died: check the ledger"); // it is ours all the same
                break;
            case var other:
                throw new TimeoutException(other.ToString());
        }

        try
        {
            Console.WriteLine("mine"); //> mine
        }
        finally
        {
            mutex.Release();
        }
        // end-snippet

        // snippet: semaphore
        using SharedSemaphore places = SharedSemaphore.Open("places", new SemaphoreOptions { Permits = 2 });
        if (places.Acquire(Deadline.Now) is IpcStatus.Ok or IpcStatus.Abandoned)
        {
            Console.WriteLine($"{places.Available} of {places.Permits} left"); //> 1 of 2 left
            places.Release();
        }
        // end-snippet

        // snippet: event
        using SharedEvent ready = SharedEvent.Open("ready", new EventOptions { ManualReset = true });
        ready.Set(); // everybody passes, until Reset
        Console.WriteLine(ready.Wait(Deadline.Now)); //> Ok
        // end-snippet
        return Task.CompletedTask;
    }
}
