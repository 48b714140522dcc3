using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a handler throws is told to the side that it belongs to: hook, events, span; and the caller's exception says where it came from.</summary>
/// <remarks>Alone: its listeners listen to the calls of the whole process.</remarks>
[Collection(nameof(Alone))]
public sealed class HandlerFailureTests
{
    [Fact]
    public async Task WhatAHandlerThrowsIsToldWithItsStack()
    {
        var told = new ConcurrentQueue<RpcHandlerFailure>();
        using var events = new Events();
        using RpcServer server = Hand.Serve(
            out string name, new RpcServerOptions { HandlerFailed = told.Enqueue },
            RpcHandler.Unary(Hand.Ask, static number => Deep(number)),
            RpcHandler.UnaryAsync(Hand.Third, static async number =>
            {
                await Task.Yield();
                return Deep(number);
            }),
            RpcHandler.ServerStream(Hand.Items, static (number, _) => Items(number)),
            RpcHandler.OneWay(Hand.Tell, static number => Deep(number)),
            RpcHandler.UnaryAsync(Hand.Other, static async (_, cancel) =>
            {
                await Task.Delay(Timeout.Infinite, cancel);
                return 0;
            }));
        using RpcClient client = RpcClient.Connect(name);
        Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1));
        await Eventually.Fails(client.CallAsync(Hand.Third, 1).AsTask());
        await Eventually.Fails(Drain(client.Stream(Hand.Items, 1)));
        client.Notify(Hand.Tell, 1);
        Eventually.True(() => told.Count == 4, "four are told");
        Assert.Equal(["Ask", "Items", "Tell", "Third"], told.Select(static failure => failure.Method.Name).OrderBy(static name => name, StringComparer.Ordinal));
        Assert.All(told, static failure =>
        {
            Assert.IsType<FormatException>(failure.Exception);
            Assert.Contains(nameof(Deep), failure.Exception.StackTrace, StringComparison.Ordinal);
            Assert.Equal(RpcStatus.Unknown, failure.Status);
            Assert.Equal(Environment.ProcessId, failure.Peer.ProcessId);
            Assert.Equal(failure.Method.Name == "Tell", failure.IsOneWay);
            Assert.False(failure.IsIntended);
        });
        Eventually.True(() => events.Failed.Count == 4, "and told as events");
        Assert.All(events.Failed, written =>
        {
            Assert.Equal(EventLevel.Error, written.Level);
            Assert.Equal(name, written.Payload![0]);
            Assert.Contains(nameof(Deep), (string)written.Payload[4]!, StringComparison.Ordinal);
        });

        // What a handler throws to be answered is told, too, and called so.
        Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 2));
        Eventually.True(() => told.Count == 5, "five are told");
        Assert.True(told.Last().IsIntended);
        Assert.Equal(RpcStatus.NotFound, told.Last().Status);
        Eventually.True(() => events.Refused.Count == 1, "as another event");

        // A cancellation that the caller wanted is nobody's failure.
        using var stop = new CancellationTokenSource();
        Task<int> waiting = client.CallAsync(Hand.Other, 1, stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(() => waiting);
        Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 2));
        Eventually.True(() => told.Count >= 6, "six are told");
        Assert.DoesNotContain(told, static failure => failure.Exception is OperationCanceledException);
    }

    /// <summary>The same on a client, for its callbacks; and for messages: what a serializer throws is not in the caller's process either.</summary>
    [Fact]
    public void CallbacksAndMessagesAreToldOf()
    {
        var told = new ConcurrentQueue<RpcHandlerFailure>();
        var toldClient = new ConcurrentQueue<RpcHandlerFailure>();
        MessageCodec<int> broken = new(
            "Number",
            static (ref ProtoWriter _, in int _) => throw new FormatException("no writing"),
            static (ref ProtoReader _) => throw new FormatException("no reading"),
            package: Hand.Name);
        using RpcServer server = Hand.Serve(
            out string name, new RpcServerOptions { HandlerFailed = told.Enqueue },
            RpcHandler.Unary(new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, Hand.Number, broken), static number => number),
            RpcHandler.Unary(new RpcMethod<int, int>(Hand.Name, "Third", RpcMethodKind.Unary, broken, Hand.Number), static number => number),
            RpcHandler.Unary(Hand.Other, static (number, cancel) => RpcContext.Current!.Caller.Call(Hand.Other, number, cancel)));
        var options = new RpcClientOptions { CallbackFailed = toldClient.Enqueue };
        options.Services.Add(Hand.Service(RpcHandler.Unary(Hand.Other, static number => Deep(number))));
        using RpcClient client = RpcClient.Connect(name, options);
        Assert.Equal(RpcStatus.Internal, Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1)).Status);
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => client.Call(Hand.Third, 1)).Status);
        Eventually.True(() => told.Count == 2, "both messages are told of");
        Assert.All(told, static failure => Assert.IsType<FormatException>(failure.Exception));
        Assert.Equal(RpcStatus.Unknown, Assert.Throws<RpcCallException>(() => client.Call(Hand.Other, 1)).Status);
        Eventually.True(() => toldClient.Count == 1, "the client's handler is told of there");
        Assert.Contains(nameof(Deep), toldClient.Single().Exception.StackTrace, StringComparison.Ordinal);
    }

    [Fact]
    public void ASpanHasTheExceptionAsAnEvent()
    {
        var ended = new ConcurrentQueue<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ipc.Rpc",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = ended.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static number => Deep(number)));
        using RpcClient client = RpcClient.Connect(name);
        Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1));
        Eventually.True(() => ended.Count(static activity => activity.DisplayName == "hand.v1/Ask") == 2, "both spans have ended");
        ActivityEvent thrown = Assert.Single(ended.Single(static activity => activity is { Kind: ActivityKind.Server, DisplayName: "hand.v1/Ask" }).Events);
        Assert.Equal("exception", thrown.Name);
        Dictionary<string, object?> tags = thrown.Tags.ToDictionary();
        Assert.Equal("System.FormatException", tags["exception.type"]);
        Assert.Equal("one", tags["exception.message"]);
        Assert.Contains(nameof(Deep), (string)tags["exception.stacktrace"]!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheCallersExceptionSaysWhatItCalledAndWhatWasThrown()
    {
        using RpcServer server = Hand.Serve(
            out string name, RpcHandler.Unary(Hand.Ask, static number => Deep(number)), RpcHandler.ServerStream(Hand.Items, static (number, _) => Items(number)));
        using RpcClient client = RpcClient.Connect(name);
        RpcCallException[] all =
        [
            Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1)),
            await Eventually.Fails(client.CallAsync(Hand.Ask, 1).AsTask()),
            await Eventually.Fails(Drain(client.Stream(Hand.Items, 1))),
        ];
        foreach (RpcCallException e in all)
        {
            Assert.Equal(Hand.Name, e.Service);
            Assert.Equal(ReferenceEquals(e, all[2]) ? "Items" : "Ask", e.Method);
            Assert.Equal($"the server \"{name}\" (process {Environment.ProcessId})", e.Peer);
            Assert.Equal("System.FormatException", e.RemoteType);
            Assert.Equal("one", e.Message);
            string text = e.ToString();
            foreach (string part in new[] { "Ipc.Rpc.RpcCallException: Unknown of hand.v1/" + e.Method, " at " + e.Peer, "System.FormatException: one", Environment.NewLine + "   at " })
                Assert.Contains(part, text, StringComparison.Ordinal);
        }

        RpcCallException late = Assert.Throws<RpcCallException>(() => client.WithTimeout(TimeSpan.FromTicks(1)).Call(Hand.Ask, 1));
        Assert.Equal("Ask", late.Method);
        server.Dispose();
        RpcCallException gone = Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1));
        Assert.Equal(RpcStatus.Unavailable, gone.Status);
        Assert.Equal("Ask", gone.Method);
        Assert.StartsWith($"the server \"{name}\"", gone.Peer, StringComparison.Ordinal);
    }

    private static int Deep(int number) => number == 1 ? throw new FormatException("one") : throw new RpcCallException(RpcStatus.NotFound, "no " + number);

    private static async IAsyncEnumerable<int> Items(int number)
    {
        await Task.Yield();
        yield return Deep(number);
    }

    private static async Task Drain(IAsyncEnumerable<int> items)
    {
        await foreach (int item in items)
            Assert.Fail("an item came: " + item);
    }

    private sealed class Events : EventListener
    {
        public ConcurrentQueue<EventWrittenEventArgs> Failed { get; } = new();

        public ConcurrentQueue<EventWrittenEventArgs> Refused { get; } = new();

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Ipc")
                EnableEvents(eventSource, EventLevel.Informational, (EventKeywords)4);
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventSource.Name != "Ipc")
                return;
            if (eventData.EventId == 12)
                Failed.Enqueue(eventData);
            else if (eventData.EventId == 13)
                Refused.Enqueue(eventData);
        }
    }
}
