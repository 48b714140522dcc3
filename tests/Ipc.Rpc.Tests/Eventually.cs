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

    /// <summary>The status that a call fails with.</summary>
    public static async Task<RpcException> Fails(Task task)
        => await Assert.ThrowsAsync<RpcException>(() => Ends(task));
}
