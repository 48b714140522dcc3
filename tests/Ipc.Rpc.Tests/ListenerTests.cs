using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Whatever those throw who listen to activities, measurements and events: calls go on as if nobody listened.</summary>
/// <remarks>Alone: they listen to the calls of the whole process.</remarks>
[Collection(nameof(Alone))]
public sealed class ListenerTests
{
    private static readonly Func<int, int> _fails = static _ => throw new Nasty();

    public static TheoryData<string> Places => ["activity sampled", "activity started", "activity stopped", "measurement", "event"];

    /// <summary>The client is none of this library: only its server has listeners.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public void ListenersThatFailHoldUpNobody(string which)
    {
        using RpcServer server = Hand.Serve(
            out string name, RpcHandler.Unary(Hand.Ask, _fails), RpcHandler.Unary(Hand.Other, static number => number),
            RpcHandler.UnaryAsync(Hand.Third, static async number =>
            {
                await Task.Yield();
                return number;
            }),
            RpcHandler.OneWay(Hand.Tell, static _ => throw new Nasty()));
        using var client = new RawClient(name);
        using IDisposable listener = Listener(which);
        for (uint call = 1; call < 20; call += 4)
        {
            client.Send(Hand.Request(Hand.Ask, call), Hand.Bytes(1));
            Assert.Equal(FrameKind.Error, client.Receive().Kind);
            client.Send(Hand.Request(Hand.Other, call + 1), Hand.Bytes(1));
            Assert.Equal(FrameKind.Response, client.Receive().Kind);
            client.Send(Hand.Request(Hand.Third, call + 2), Hand.Bytes(1));
            Assert.Equal(FrameKind.Response, client.Receive().Kind);
            client.Send(Hand.Request(Hand.Tell, call + 3), Hand.Bytes(1));
            client.Send(new FrameHeader(FrameKind.Cancel, 12345)); // a frame for no call
        }

        Eventually.True(() => server.FailedOneWayCalls == 5, "all have been handled");
    }

    /// <summary>Results come, and what is current at the caller stays so.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task ListenersOfTheCallerFailNoCall(string which)
    {
        using RpcServer server = Hand.Serve(
            out string name, RpcHandler.Unary(Hand.Ask, _fails), RpcHandler.Unary(Hand.Other, static number => number), RpcHandler.OneWay(Hand.Tell, static _ => { }),
            RpcHandler.ServerStream(Hand.Items, static (number, _) => Numbers(number)),
            RpcHandler.UnaryProgress(Hand.Work, static (number, _, _) => ValueTask.FromResult(number)),
            RpcHandler.ClientStream(Hand.Sum, static async (number, items, cancel) =>
            {
                await foreach (int item in items.WithCancellation(cancel))
                    number += item;
                return number;
            }));
        using RpcClient client = RpcClient.Connect(name);
        using IDisposable listener = Listener(which);
        using Activity mine = new Activity("mine").Start();
        try
        {
            for (int i = 0; i < 3; i++)
            {
                Assert.Equal(5, client.Call(Hand.Other, 5));
                Assert.Same(mine, Activity.Current);
                Assert.Equal(RpcStatus.Unknown, Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1)).Status);
                client.Notify(Hand.Tell, 1);
                Assert.Same(mine, Activity.Current);
                await Eventually.Ends(client.NotifyAsync(Hand.Tell, 1).AsTask());
                Assert.Equal(6, await Result(client.CallAsync(Hand.Other, 6)));
                Assert.Equal(7, await Result(client.CallAsync(Hand.Work, 7, new Progress<int>())));
                Assert.Equal(7, await Result(client.ClientStream(Hand.Sum, 1, new Source(3))));
                int items = 0;
                await foreach (int item in client.Stream(Hand.Items, 3))
                    Assert.Equal(++items, item);
                Assert.Equal(3, items);
                Assert.Same(mine, Activity.Current);
            }
        }
        catch (Nasty) // which a runner cannot show
        {
            Assert.Fail("What a listener threw came out of a call.");
        }
    }

    /// <summary>One that fails takes nothing from another, that listens to something else.</summary>
    [Fact]
    public void AMeterThatFailsLeavesNoActivityOpen()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Other, static number => number));
        using RpcClient client = RpcClient.Connect(name);
        using IDisposable failing = Listener("measurement");
        int open = 0;
        using ActivityListener activities = new()
        {
            ShouldListenTo = static source => source.Name == "Ipc.Rpc",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStarted = _ => Interlocked.Increment(ref open),
            ActivityStopped = _ => Interlocked.Decrement(ref open),
        };
        ActivitySource.AddActivityListener(activities);
        Exception? thrown = Record.Exception(() => Assert.Equal(5, client.Call(Hand.Other, 5)));
        Assert.True(thrown is null, "it threw " + thrown?.GetType());
        Eventually.True(() => Volatile.Read(ref open) == 0, "both ends to be told");
    }

    private static async Task<int> Result(ValueTask<int> call)
    {
        Task<int> result = call.AsTask();
        await Eventually.Ends(result);
        return await result;
    }

    private static async IAsyncEnumerable<int> Numbers(int last)
    {
        for (int i = 1; i <= last; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    private static IDisposable Listener(string which)
    {
        switch (which)
        {
            case "event":
                return new Events();
            case "measurement":
                var meters = new MeterListener
                {
                    InstrumentPublished = static (instrument, listener) =>
                    {
                        if (instrument.Meter.Name == "Ipc.Rpc" && !instrument.IsObservable)
                            listener.EnableMeasurementEvents(instrument);
                    },
                };
                meters.SetMeasurementEventCallback<double>(static (_, _, _, _) => throw new Nasty());
                meters.SetMeasurementEventCallback<long>(static (_, _, _, _) => throw new Nasty());
                meters.Start();
                return meters;
            default:
                var activities = new ActivityListener
                {
                    ShouldListenTo = static source => source.Name == "Ipc.Rpc",
                    Sample = (ref ActivityCreationOptions<ActivityContext> _) => which == "activity sampled" ? throw new Nasty() : ActivitySamplingResult.AllData,
                    ActivityStarted = _ => ThrowAt("activity started"),
                    ActivityStopped = _ => ThrowAt("activity stopped"),
                };
                ActivitySource.AddActivityListener(activities);
                return activities;
        }

        void ThrowAt(string place)
        {
            if (which == place)
                throw new Nasty();
        }
    }

    private sealed class Events : EventListener
    {
        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Ipc")
                EnableEvents(eventSource, EventLevel.Verbose, EventKeywords.All);
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventSource.Name == "Ipc")
                throw new Nasty();
        }
    }
}
