using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Text;
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
        if (!ReferenceEquals(first, task))
            Assert.Fail("a task did not end; the connections of this process: " + Census());
        await task;
    }

    /// <summary>What every connection has sent and received, by name and side: says which side of one that hangs has not read, or not answered.</summary>
    private static string Census()
    {
        var text = new StringBuilder();
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Ipc.Rpc" && instrument.IsObservable)
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            text.AppendLine().Append(instrument.Name).Append(' ').Append(value);
            foreach (KeyValuePair<string, object?> tag in tags)
                text.Append(' ').Append(tag.Value);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return text.ToString();
    }

    /// <summary>Makes a call overrun its deadline after its handler has begun: a busy machine may take longer to get there than the first deadlines give it.</summary>
    public static async Task<RpcCallException> Overruns(Func<TimeSpan, Task> call, Func<bool> hasBegun)
    {
        for (int ms = 50; ; ms *= 2)
        {
            RpcCallException e = await Fails(call(TimeSpan.FromMilliseconds(ms)));
            Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
            if (hasBegun())
                return e;
        }
    }

    /// <summary>The status that a call fails with.</summary>
    /// <summary>Waits until a call is over, well or not.</summary>
    public static Task Over(Task call) => Ends(call.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default));

    public static async Task<RpcCallException> Fails(Task task)
        => await Assert.ThrowsAsync<RpcCallException>(() => Ends(task));
}
