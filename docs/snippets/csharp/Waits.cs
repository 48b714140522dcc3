using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc;

namespace Snippets;

internal static class Waits
{
    public static async Task Run()
    {
        // snippet: modes
        QueueOptions calm = new() { WaitMode = WaitMode.Block };                              // sleeps at once
        QueueOptions usual = new() { SpinLimit = TimeSpan.FromMilliseconds(0.02) };           // Adaptive: at most 20 us, then sleeps
        QueueOptions eager = new() { WaitMode = WaitMode.Spin };                              // never sleeps: a whole core
        // end-snippet
        using SharedQueue one = SharedQueue.Open("calm", calm);
        using SharedQueue two = SharedQueue.Open("usual", usual);
        using SharedQueue three = SharedQueue.Open("eager", eager);

        // snippet: ends
        using CancellationTokenSource shutdown = new();
        Task<IpcStatus> waiting = Task.Run(() => one.Wait(Deadline.Never, shutdown.Token));
        shutdown.Cancel();
        Console.WriteLine(await waiting); //> Cancelled

        Console.WriteLine(one.Wait(TimeSpan.FromMilliseconds(5))); //> Timeout

        one.Stop(); // every wait of this object, until Resume
        Console.WriteLine(one.Wait(Deadline.Never)); //> Stopped
        // end-snippet

        // snippet: deadline
        Deadline all = Deadline.After(TimeSpan.FromSeconds(2)); // one moment for several waits
        _ = two.Send("a"u8, 0, all);
        _ = two.Receive(out QueueMessage message, all);
        Console.WriteLine(all.Remaining <= TimeSpan.FromSeconds(2)); //> True
        message.Release();
        // end-snippet
    }
}
