using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Whatever code of a server's user throws, wherever it runs: the call ends with a status, and the next one is served.</summary>
/// <remarks>Alone: its listeners listen to the calls of the whole process.</remarks>
[Collection(nameof(Alone))]
public sealed class ContainmentTests
{
    private static readonly MessageCodec<int> _nasty = new(
        "Number",
        static (ref ProtoWriter writer, in int value) =>
        {
            if (value < 0)
                throw new Nasty();
            writer.WriteInt32(1 << 3, value);
        },
        static (ref ProtoReader reader) =>
        {
            int value = Hand.Number.Read(ref reader);
            return value != 77 ? value : throw new Nasty();
        },
        package: Hand.Name);

    public static TheoryData<string> Handlers => new()
    {
        "unary", "inline", "asynchronous", "later", "source", "progress", "stream", "iterator", "disposal", "client stream", "duplex", "one-way", "foreign memory",
    };

    [Theory]
    [MemberData(nameof(Handlers))]
    public async Task AnExceptionThatFailsWhenItIsAskedEndsItsCallOnly(string handler)
    {
        using RpcServer server = Hand.Serve(out string name, Throwing(handler), RpcHandler.Unary(Hand.Other, static number => number));
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 3; i++)
        {
            if (handler == "one-way")
            {
                client.Notify(Hand.Tell, 1);
            }
            else
            {
                RpcCallException e = await Eventually.Fails(CallIt(client, handler));
                Assert.Equal(handler == "foreign memory" ? RpcStatus.Aborted : RpcStatus.Unknown, e.Status);
                if (handler != "foreign memory")
                    Assert.Equal(typeof(Nasty).FullName, e.RemoteType);
            }

            Assert.Equal(5, client.Call(Hand.Other, 5));
        }

        if (handler == "one-way")
            Eventually.True(() => server.FailedOneWayCalls == 3, "they are counted");
    }

    /// <summary>Request, response, item of either direction, report.</summary>
    [Theory]
    [InlineData("request", RpcStatus.InvalidArgument)]
    [InlineData("response", RpcStatus.Internal)]
    [InlineData("item out", RpcStatus.Internal)]
    [InlineData("item in", RpcStatus.InvalidArgument)]
    [InlineData("report", RpcStatus.Internal)]
    public async Task AMessageThatFailsEndsItsCallOnly(string message, RpcStatus status)
    {
        var ask = new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, _nasty, _nasty);
        var items = new RpcMethod<int, int>(Hand.Name, "Items", RpcMethodKind.ServerStream, Hand.Number, _nasty);
        var sum = new RpcStreamMethod<int, int, int>(Hand.Name, "Sum", RpcMethodKind.ClientStream, Hand.Number, _nasty, Hand.Number);
        var work = new RpcProgressMethod<int, int, int>(Hand.Name, "Work", Hand.Number, Hand.Number, _nasty);
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(ask, static number => -number),
            RpcHandler.ServerStream(items, static (_, _) => Minus()),
            RpcHandler.ClientStream(sum, static async (number, incoming, _) =>
            {
                await foreach (int item in incoming)
                    number += item;
                return number;
            }),
            RpcHandler.UnaryProgress(work, static (number, progress, _) =>
            {
                progress.Report(-1);
                return new ValueTask<int>(number);
            }),
            RpcHandler.Unary(Hand.Other, static number => number));
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 3; i++)
        {
            RpcCallException e = await Eventually.Fails(message switch
            {
                "request" => client.CallAsync(Hand.Ask, 77).AsTask(),
                "response" => client.CallAsync(Hand.Ask, 5).AsTask(),
                "item out" => Drain(client.Stream(Hand.Items, 1)),
                "item in" => client.ClientStream(Hand.Sum, 1, new Source(77)).AsTask(),
                _ => client.CallAsync(Hand.Work, 1, new Progress<int>()).AsTask(),
            });
            Assert.Equal(status, e.Status);
            Assert.Equal(5, client.Call(Hand.Other, 5));
        }

        static async IAsyncEnumerable<int> Minus()
        {
            await Task.Yield();
            yield return -1;
        }
    }

    [Fact]
    public void InterceptorsThatThrowWhateverTheyLikeEndTheirCallsOnly()
    {
        foreach (string place in new[] { "starting", "completed", "map" })
        {
            var options = new RpcServerOptions();
            options.Interceptors.Add(new Interceptor(place));
            using RpcServer server = Hand.Serve(out string name, options, RpcHandler.Unary(Hand.Ask, static number => number != 1 ? number : throw new FormatException("one")));
            using RpcClient client = RpcClient.Connect(name);
            for (int i = 0; i < 3; i++)
            {
                RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1));
                Assert.Equal(RpcStatus.Unknown, e.Status);
                Assert.Equal(place == "completed" ? "System.FormatException" : typeof(Nasty).FullName, e.RemoteType);
                if (place != "starting")
                    Assert.Equal(2, client.Call(Hand.Ask, 2));
            }
        }
    }

    [Fact]
    public void ADecisionThatFailsRefusesTheClientAndKeepsTheServer()
    {
        bool fails = true;
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { Accept = _ => fails ? throw new Nasty() : null }, RpcHandler.Unary(Hand.Ask, static number => number));
        RpcCallException e = Assert.Throws<RpcCallException>(() => RpcClient.Connect(name));
        Assert.Equal(RpcStatus.Unauthenticated, e.Status);
        Assert.Contains(nameof(Nasty), e.Message, StringComparison.Ordinal);
        fails = false;
        using RpcClient client = RpcClient.Connect(name);
        Assert.Equal(5, client.Call(Hand.Ask, 5));
    }

    [Fact]
    public void AHookThatFailsHoldsUpNobody()
    {
        int told = 0;
        var options = new RpcServerOptions
        {
            HandlerFailed = _ =>
            {
                told++;
                throw new Nasty();
            },
        };
        using RpcServer server = Hand.Serve(out string name, options, Throwing("unary"), RpcHandler.Unary(Hand.Other, static number => number));
        using RpcClient client = RpcClient.Connect(name);
        Assert.Equal(RpcStatus.Unknown, Assert.Throws<RpcCallException>(() => client.Call(Hand.Ask, 1)).Status);
        Assert.Equal(5, client.Call(Hand.Other, 5));
        Assert.Equal(1, told);
    }

    /// <summary>The ring has room for one message at a time, and this thread has its lock.</summary>
    [Fact]
    public async Task AMessageMayEndAnotherCallWhileItIsBeingWritten()
    {
        var waiting = new TaskCompletionSource<int>(); // whose continuations run where it is completed
        RpcCaller? caller = null;
        RpcStatus called = RpcStatus.Ok;
        MessageCodec<int> busy = new(
            "Number",
            (ref ProtoWriter writer, in int value) =>
            {
                waiting.TrySetResult(7);
                try
                {
                    caller!.Notify(Hand.Tell, 1);
                }
                catch (RpcCallException e)
                {
                    called = e.Status;
                }

                writer.WriteInt32(1 << 3, value);
            },
            static (ref ProtoReader reader) => Hand.Number.Read(ref reader),
            package: Hand.Name);
        var ask = new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, Hand.Number, busy);
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(ask, number =>
            {
                caller = RpcContext.Current!.Caller;
                return number;
            }),
            RpcHandler.UnaryAsync(Hand.Other, async _ => await waiting.Task));
        using RpcClient client = RpcClient.Connect(name);
        Task<int> other = client.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => server.ConnectionCount == 1, "it is connected");
        Assert.Equal(5, await Eventually.Ends(client.CallAsync(Hand.Ask, 5).AsTask()));
        Assert.Equal(7, await Eventually.Ends(other));
        Assert.Equal(RpcStatus.FailedPrecondition, called);
        Assert.Equal(6, client.Call(Hand.Ask, 6));
    }

    /// <summary>The same for a message that the server sends as a callback's request: only answers knew that one was being written.</summary>
    [Fact]
    public async Task ACallbacksRequestMayEndAnotherCallWhileItIsBeingWritten()
    {
        var waiting = new TaskCompletionSource<int>(); // whose continuations run where it is completed
        MessageCodec<int> busy = new(
            "Number",
            (ref ProtoWriter writer, in int value) =>
            {
                waiting.TrySetResult(7);
                writer.WriteInt32(1 << 3, value);
            },
            static (ref ProtoReader reader) => Hand.Number.Read(ref reader),
            package: Hand.Name);
        var third = new RpcMethod<int, int>(Hand.Name, "Third", RpcMethodKind.Unary, busy, Hand.Number);
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Ask, async number =>
            {
                await Task.Yield();
                return await RpcContext.Current!.Caller.CallAsync(third, number);
            }),
            RpcHandler.UnaryAsync(Hand.Other, async _ => await waiting.Task));
        var options = new RpcClientOptions();
        options.Services.Add(Hand.Service(RpcHandler.UnaryAsync(Hand.Third, static number => new ValueTask<int>(number + 1))));
        using RpcClient client = RpcClient.Connect(name, options);
        Task<int> other = client.CallAsync(Hand.Other, 1).AsTask();
        Eventually.True(() => SettledTests.PendingCalls(client) == 1, "it is pending");
        Assert.Equal(6, await Eventually.Ends(client.CallAsync(Hand.Ask, 5).AsTask()));
        Assert.Equal(7, await Eventually.Ends(other));
        for (int i = 0; i < 20; i++)
            Assert.Equal(i + 1, await Eventually.Ends(client.CallAsync(Hand.Ask, i).AsTask()));
    }

    private static RpcHandler Throwing(string handler) => handler switch
    {
        "unary" => RpcHandler.Unary<int, int>(Hand.Ask, static _ => throw new Nasty()),
        "inline" => RpcHandler.Unary<int, int>(Hand.Ask, static _ => throw new Nasty()).Inline(),
        "asynchronous" => RpcHandler.UnaryAsync<int, int>(Hand.Ask, static _ => throw new Nasty()),
        "later" => RpcHandler.UnaryAsync<int, int>(Hand.Ask, static async _ =>
        {
            await Task.Yield();
            throw new Nasty();
        }),
        "source" => RpcHandler.UnaryAsync(Hand.Ask, static _ => new ValueTask<int>(new NastySource(), 0)),
        "progress" => RpcHandler.UnaryProgress(Hand.Work, static (_, _, _) => throw new Nasty()),
        "stream" => RpcHandler.ServerStream(Hand.Items, static (_, _) => throw new Nasty()),
        "iterator" => RpcHandler.ServerStream(Hand.Items, static (_, _) => Items(disposal: false)),
        "disposal" => RpcHandler.ServerStream(Hand.Items, static (_, _) => Items(disposal: true)),
        "client stream" => RpcHandler.ClientStream(Hand.Sum, static async (_, items, _) =>
        {
            await foreach (int item in items)
                throw new Nasty();
            return 0;
        }),
        "duplex" => RpcHandler.Duplex(Hand.Scale, static (_, _, _) => Items(disposal: false)),
        "one-way" => RpcHandler.OneWay(Hand.Tell, static _ => throw new Nasty()),
        _ => RpcHandler.Unary<int, int>(
            Hand.Ask, static _ => throw new RpcCallException(RpcStatus.Aborted, "with details", [new RpcDetail("x/y.Z", new NastyMemory().Memory)])),
    };

    private static Task CallIt(RpcClient client, string handler) => handler switch
    {
        "progress" => client.CallAsync(Hand.Work, 1, new Progress<int>()).AsTask(),
        "stream" or "iterator" or "disposal" => Drain(client.Stream(Hand.Items, 1)),
        "client stream" => client.ClientStream(Hand.Sum, 1, new Source(3)).AsTask(),
        "duplex" => Drain(client.Duplex(Hand.Scale, 1, new Source(3))),
        _ => client.CallAsync(Hand.Ask, 1).AsTask(),
    };

    private static async Task Drain(IAsyncEnumerable<int> items)
    {
        await foreach (int item in items)
            Assert.Equal(1, item);
    }

    private static async IAsyncEnumerable<int> Items(bool disposal)
    {
        try
        {
            yield return 1;
            await Task.Yield();
            if (!disposal)
                throw new Nasty();
        }
        finally
        {
            if (disposal)
                Fail();
        }
    }

    private static void Fail() => throw new Nasty();

    private sealed class Interceptor(string place) : RpcServerInterceptor
    {
        public override void Starting(RpcContext context) => ThrowAt("starting");

        public override void Completed(RpcContext context, RpcStatus status, Exception? exception) => ThrowAt("completed");

        public override RpcCallException? Map(RpcContext context, Exception exception)
        {
            ThrowAt("map");
            return null;
        }

        private void ThrowAt(string here)
        {
            if (here == place)
                throw new Nasty();
        }
    }

    /// <summary>Memory that its owner has taken back.</summary>
    private sealed class NastyMemory : MemoryManager<byte>
    {
        public override Memory<byte> Memory => CreateMemory(10);

        public override Span<byte> GetSpan() => throw new Nasty();

        public override MemoryHandle Pin(int elementIndex = 0) => throw new Nasty();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
