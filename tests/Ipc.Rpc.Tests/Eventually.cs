using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Waiting for a condition, with a watchdog that is generous: it only ends tests that would hang.</summary>
internal static class Eventually
{
    public static readonly TimeSpan Watchdog = TimeSpan.FromSeconds(60);

    public static void True(Func<bool> condition, string what)
    {
        var clock = Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(clock.Elapsed < Watchdog, "waited in vain until " + what);
            Thread.Sleep(1);
        }
    }

    public static async Task<T> Ends<T>(Task<T> task)
    {
        await Ends((Task)task);
        return await task;
    }

    public static async Task Ends(Task task)
    {
        Task first = await Task.WhenAny(task, Task.Delay(Watchdog));
        Assert.True(ReferenceEquals(first, task), "a task did not end");
        await task;
    }

    /// <summary>Makes a call overrun its deadline after its handler has begun: a busy machine may take longer to get there than the first deadlines give it.</summary>
    public static async Task<RpcException> Overruns(Func<TimeSpan, Task> call, Func<bool> hasBegun)
    {
        for (int ms = 50; ; ms *= 2)
        {
            RpcException e = await Fails(call(TimeSpan.FromMilliseconds(ms)));
            Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
            if (hasBegun())
                return e;
        }
    }

    /// <summary>The status that a call fails with.</summary>
    public static async Task<RpcException> Fails(Task task)
        => await Assert.ThrowsAsync<RpcException>(() => Ends(task));
}
