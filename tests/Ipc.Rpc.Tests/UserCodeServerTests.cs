using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Every place where a server runs code of its user, and what may be done there: the table of docs/guide/user-code.md.</summary>
public sealed class UserCodeServerTests
{
    public static TheoryData<string> Places => new()
    {
        "unary", "inline", "asynchronous", "behind an await", "one-way", "stream", "iterator", "client stream", "duplex", "progress",
        "starting", "completed", "map", "accept", "request reader", "response writer", "item reader", "item writer", "report writer", "hook", "registration",
    };

    /// <summary>It returns, wherever it is called, and the server ends when that code has returned.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task TheServerMayBeDisposedFromAnywhere(string place)
    {
        RpcServer? server = null;
        var disposed = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var user = new User(place, () =>
        {
            Volatile.Read(ref server)!.Dispose();
            disposed.SetResult(true);
        });
        Volatile.Write(ref server, user.Open(out string name));
        server.Start();
        using var client = RpcClient.Create(name);
        await user.Provoke(client);
        await Eventually.Ends(disposed.Task);
        await Eventually.Ends(server.Completion);
        server.Dispose();
        using RpcServer successor = RpcServer.Start(name, Hand.Service()); // the name is free
    }

    /// <summary>And the server serves on.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task AnotherServerMayBeCalledFromAnywhere(string place)
    {
        using RpcServer another = Hand.Serve(out string anothers, RpcHandler.Unary(Hand.Ask, static number => number + 1));
        using RpcClient to = RpcClient.Connect(anothers);
        var answered = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var user = new User(place, () =>
        {
            try
            {
                answered.SetResult(to.Call(Hand.Ask, 1));
            }
            catch (OperationCanceledException e)
            {
                answered.SetException(e);
            }
        });
        using RpcServer server = user.Open(out string name);
        server.Start();
        using var client = RpcClient.Create(name);
        await user.Provoke(client);
        if (place == "registration")
            await Assert.ThrowsAsync<OperationCanceledException>(() => Eventually.Ends(answered.Task)); // it is in the context of a call that is cancelled
        else
            Assert.Equal(2, await Eventually.Ends(answered.Task));
        for (int i = 0; i < 3; i++)
            await user.Provoke(client);
        Assert.Equal(5, client.Call(User.Plain, 5));
    }

    /// <summary>What it throws ends one call, or refuses one client, and nothing else.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task WhatIsThrownAnywhereEndsNothingElse(string place)
    {
        var user = new User(place, static () => throw new Nasty());
        using RpcServer server = user.Open(out string name);
        server.Start();
        using var client = RpcClient.Create(name);
        await user.Provoke(client);
        Eventually.True(() => user.HasRun, "it has run"); // a registration, on the thread pool, perhaps after the caller has gone on
        for (int i = 0; i < 3; i++)
            await user.Provoke(client);
        using RpcClient another = RpcClient.Connect(name); // the first one may have been refused, and pauses
        Assert.Equal(5, await Eventually.Ends(another.CallAsync(User.Plain, 5).AsTask()));
    }

    /// <summary>A server with code in every place; in the one that is asked for it runs something, once.</summary>
    private sealed class User
    {
        public static readonly RpcMethod<int, int> Plain = new(Hand.Name, "Plain", RpcMethodKind.Unary, Hand.Number, Hand.Number);
        private static readonly RpcMethod<int, int> _inline = new(Hand.Name, "Inline", RpcMethodKind.Unary, Hand.Number, Hand.Number);
        private static readonly RpcMethod<int, int> _failing = new(Hand.Name, "Failing", RpcMethodKind.Unary, Hand.Number, Hand.Number);

        private readonly string _place;
        private readonly Action _code;
        private int _begun;
        private int _registered;

        public User(string place, Action code)
        {
            _place = place;
            _code = code;
        }

        public bool HasRun => Volatile.Read(ref _begun) != 0;

        public RpcServer Open(out string name)
        {
            MessageCodec<int> request = Codec("request reader", ""), response = Codec("", "response writer"), itemIn = Codec("item reader", ""), itemOut = Codec("", "item writer"), report = Codec("", "report writer");
            var options = new RpcServerOptions
            {
                Accept = _ =>
                {
                    At("accept");
                    return null;
                },
                HandlerFailed = _ => At("hook"),
            };
            options.Interceptors.Add(new Interceptor(this));
            name = TestServer.NewName();
            RpcServer server = RpcServer.Open(name, options);
            return server.Add(Hand.Service(
                RpcHandler.Unary(Plain, static number => number),
                RpcHandler.Unary(new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, request, response), number => At("unary", number)),
                RpcHandler.Unary(_inline, number => At("inline", number)).Inline(),
                RpcHandler.UnaryAsync(Hand.Other, async number =>
                {
                    At("asynchronous");
                    await Task.Yield();
                    return At("behind an await", number);
                }),
                RpcHandler.Unary(_failing, static _ => throw new FormatException("failing")),
                RpcHandler.UnaryAsync(Hand.Third, async (number, cancel) =>
                {
                    using (cancel.Register(() => At("registration")))
                    {
                        Interlocked.Increment(ref _registered);
                        await Task.Delay(Timeout.Infinite, cancel);
                    }

                    return number;
                }),
                RpcHandler.OneWay(Hand.Tell, _ => At("one-way")),
                RpcHandler.ServerStream(new RpcMethod<int, int>(Hand.Name, "Items", RpcMethodKind.ServerStream, Hand.Number, itemOut), (number, _) =>
                {
                    At("stream");
                    return Items(number);
                }),
                RpcHandler.ClientStream(new RpcStreamMethod<int, int, int>(Hand.Name, "Sum", RpcMethodKind.ClientStream, Hand.Number, itemIn, Hand.Number), async (number, items, _) =>
                {
                    At("client stream");
                    await foreach (int item in items)
                        number += item;
                    return number;
                }),
                RpcHandler.Duplex(Hand.Scale, (number, _, _) =>
                {
                    At("duplex");
                    return Items(number);
                }),
                RpcHandler.UnaryProgress(new RpcProgressMethod<int, int, int>(Hand.Name, "Work", Hand.Number, Hand.Number, report), async (number, progress, _) =>
                {
                    At("progress");
                    progress.Report(number);
                    await Task.Yield();
                    return number;
                })));
        }

        /// <summary>Makes the call that leads there. What becomes of it is not the question.</summary>
        public async Task Provoke(RpcClient client)
        {
            using var stop = new CancellationTokenSource();
            int before = Volatile.Read(ref _registered);
            Task call = _place switch
            {
                "inline" => Task.Run(() => client.Call(_inline, 1)),
                "asynchronous" or "behind an await" => Task.Run(() => client.Call(Hand.Other, 1)),
                "one-way" => Task.Run(() => client.Notify(Hand.Tell, 1)),
                "stream" or "iterator" or "item writer" => Task.Run(() => Drain(client.Stream(Hand.Items, 2))),
                "client stream" or "item reader" => Task.Run(async () => await client.ClientStream(Hand.Sum, 1, new Source(3))),
                "duplex" => Task.Run(() => Drain(client.Duplex(Hand.Scale, 2, new Source(3)))),
                "progress" or "report writer" => Task.Run(async () => await client.CallAsync(Hand.Work, 1, new Progress<int>())),
                "map" or "hook" => Task.Run(() => client.Call(_failing, 1)),
                "registration" => Task.Run(async () => await client.CallAsync(Hand.Third, 1, stop.Token)),
                _ => Task.Run(() => client.Call(Hand.Ask, 1)),
            };
            if (_place == "registration")
            {
                Eventually.True(() => Volatile.Read(ref _registered) > before || call.IsCompleted, "the handler has registered");
                await stop.CancelAsync();
            }

            try
            {
                await Eventually.Ends(call);
            }
            catch (Exception e) when (e is RpcCallException or OperationCanceledException)
            {
            }

            if (_place == "one-way")
                Eventually.True(() => HasRun, "it has been handled");
        }

        private static async Task Drain(IAsyncEnumerable<int> items)
        {
            await foreach (int item in items)
                Assert.InRange(item, 0, 100);
        }

        private async IAsyncEnumerable<int> Items(int count)
        {
            At("iterator");
            await Task.Yield();
            for (int i = 0; i < count; i++)
                yield return i;
        }

        private int At(string place, int number)
        {
            At(place);
            return number;
        }

        private void At(string place)
        {
            if (place == _place && Interlocked.Exchange(ref _begun, 1) == 0)
                _code();
        }

        private MessageCodec<int> Codec(string reader, string writer) => new(
            "Number",
            (ref ProtoWriter target, in int value) =>
            {
                At(writer);
                target.WriteInt32(1 << 3, value);
            },
            (ref ProtoReader source) =>
            {
                At(reader);
                return Hand.Number.Read(ref source);
            },
            package: Hand.Name);

        private sealed class Interceptor(User user) : RpcServerInterceptor
        {
            public override void Starting(RpcContext context) => user.At("starting");

            public override void Completed(RpcContext context, RpcStatus status, Exception? exception) => user.At("completed");

            public override RpcCallException? Map(RpcContext context, Exception exception)
            {
                user.At("map");
                return null;
            }
        }
    }
}
