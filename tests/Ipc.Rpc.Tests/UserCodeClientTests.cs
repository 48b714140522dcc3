using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Every place where a client runs code of its user's, and what that code may do there: docs/guide/user-code.md, the C# client.</summary>
public sealed class UserCodeClientTests
{
    public static TheoryData<string> Places { get; } =
    [
        "written request", "written item", "written answer", "read response", "read item", "read report", "read callback", "report", "source", "answer", "connection", "interceptor", "token",
        "callback", "inline callback", "asynchronous callback", "callback failed",
    ];

    /// <summary>Where no answer can be waited for, because this thread has what others need to bring it.</summary>
    private static bool IsNarrow(string place) => place is "written request" or "written item" or "read response" or "read item" or "read report" or "read callback" or "inline callback";

    [Theory]
    [MemberData(nameof(Places))]
    public async Task TheClientMayBeDisposedFromAnywhere(string place)
    {
        using RpcServer server = Serve(out string name);
        using var user = new User(name, place, static client => client.Dispose());
        await user.Provoke();
        Assert.Null(user.Failure);
        Assert.False(user.Client.IsConnected);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await user.Client.CallAsync(Hand.Ask, 1));
        Eventually.True(() => server.ConnectionCount == 0, "its connection is closed");
        using RpcClient other = RpcClient.Connect(name);
        Assert.Equal(5, await Eventually.Ends(other.CallAsync(Hand.Ask, 5).AsTask()));
    }

    /// <summary>A message's property that called broke the request in hand.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task ACallOfTheSameClientWorksOrSaysWhyNot(string place)
    {
        using RpcServer server = Serve(out string name);
        int answer = 0;
        using var user = new User(name, place, client => answer = client.Call(Hand.Ask, 7));
        await user.Provoke();
        await IsSound(user, place, () => answer == 7);
    }

    [Theory]
    [MemberData(nameof(Places))]
    public async Task AnAsynchronousCallOfTheSameClientMayBeginAnywhere(string place)
    {
        using RpcServer server = Serve(out string name);
        ValueTask<int> call = default;
        using var user = new User(name, place, client => call = client.CallAsync(Hand.Ask, 7));
        await user.Provoke();
        if (place is not ("written request" or "written item"))
            Assert.Equal(7, await Eventually.Ends(call.AsTask()));
        await IsSound(user, place, static () => true, reads: true);
    }

    /// <summary>What is no call sends frames, too: credit for a stream, the end of another call.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task WhatEndsAnotherCallMayBeDoneAnywhere(string place)
    {
        using RpcServer server = Serve(out string name);
        using var cancellationToken = new CancellationTokenSource();
        Task<int>? pending = null;
        using var user = new User(name, place, _ => cancellationToken.Cancel());
        if (place != "connection")
            pending = user.Client.CallAsync(Hand.Other, 1, cancellationToken.Token).AsTask();
        await user.Provoke();
        if (pending is not null)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(pending));
        await IsSound(user, "token", static () => true);
    }

    [Theory]
    [MemberData(nameof(Places))]
    public async Task AnotherClientMayBeCalledFromAnywhere(string place)
    {
        using RpcServer server = Serve(out string name);
        using RpcClient other = RpcClient.Connect(name);
        int answer = 0;
        using var user = new User(name, place, _ => answer = other.Call(Hand.Ask, 7));
        await user.Provoke();
        await IsSound(user, "token", () => answer == 7);
    }

    /// <summary>In some of these places nobody but this thread could read what the server has sent, or notice that it has gone: neither may be lost for that, nor waited for.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task AConnectionMayBeAskedForAnywhereWhenTheServerHasGone(string place)
    {
        RpcServer server = Serve(out string name);
        RpcServer? next = null;
        Task<int>[] calls = [];
        bool mayCall = place is not ("written request" or "written item" or "connection");
        using var user = new User(name, place, client =>
        {
            if (mayCall)
                calls = [.. Enumerable.Range(0, 3).Select(number => client.CallAsync(Hand.Ask, number).AsTask())];
            Thread.Sleep(100); // their answers lie in the ring
            server.Dispose();
            next = RpcServer.Start(name, Hand.Service(Handlers()));
            client.EnsureConnected(Watchdog.Patience);
            Assert.Equal((true, 1), (client.IsConnected, next.ConnectionCount));
        });
        try
        {
            await user.Provoke();
            Assert.Null(user.Failure);
            for (int i = 0; i < calls.Length; i++)
                Assert.Equal(i, await Eventually.Ends(calls[i]));
            await IsSound(user, "token", static () => true);
            Eventually.True(() => user.Client.Session.LeftCount == 0, "the connection to the one before is closed");
        }
        finally
        {
            server.Dispose();
            next?.Dispose();
        }
    }

    private static async Task IsSound(User user, string place, Func<bool> worked, bool reads = false)
    {
        bool refused = reads ? place is "written request" or "written item" : IsNarrow(place);
        if (refused)
            Assert.Equal(RpcStatus.FailedPrecondition, Assert.IsType<RpcCallException>(user.Failure).Status);
        else
            Assert.Null(user.Failure);
        Assert.True(refused || worked());
        for (int i = 0; i < 20; i++)
            Assert.Equal(i, await Eventually.Ends(user.Client.CallAsync(Hand.Ask, i).AsTask()));
        Eventually.True(() => SettledTests.PendingCalls(user.Client) == 0, "no call is left behind");
    }

    private static RpcServer Serve(out string name) => Hand.Serve(out name, Handlers());

    private static RpcHandler[] Handlers() =>
    [
        RpcHandler.UnaryAsync(Hand.Ask, static number => new ValueTask<int>(number)),
        RpcHandler.UnaryAsync(Hand.Other, static async (number, cancellationToken) =>
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return number;
        }),
        RpcHandler.UnaryAsync(Hand.Third, static async (number, cancellationToken) =>
        {
            try
            {
                return await RpcContext.Current!.Caller.CallAsync(Hand.Ask, number, cancellationToken);
            }
            catch (RpcCallException)
            {
                return -1; // the client was disposed, or its handler threw
            }
        }),
        RpcHandler.UnaryProgress(Hand.Work, static async (number, progress, _) =>
        {
            progress.Report(1);
            await Task.Yield();
            return number;
        }),
        RpcHandler.ServerStream(Hand.Items, static (number, _) => new Source(number)),
        RpcHandler.ClientStream(Hand.Sum, static async (number, items, _) =>
        {
            await foreach (int item in items)
                number += item;
            return number;
        }),
    ];

    /// <summary>A client whose user does one thing in one place, once.</summary>
    private sealed class User : IDisposable
    {
        private readonly string _place;
        private readonly Action<RpcClient> _act;
        private bool _armed;
        private int _done;

        public User(string name, string place, Action<RpcClient> act)
        {
            _place = place;
            _act = act;
            var options = new RpcClientOptions { CallbackFailed = _ => At("callback failed") };
            options.Interceptors.Add(inner => new Interceptor(this, inner));
            var ask = new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, Codec("", "read callback"), Codec("written answer", ""));
            options.Services.Add(Hand.Service(place switch
            {
                "inline callback" => RpcHandler.Unary(ask, Handle).Inline(),
                "asynchronous callback" => RpcHandler.UnaryAsync(ask, async number =>
                {
                    await Task.Yield();
                    return Handle(number);
                }),
                _ => RpcHandler.Unary(ask, Handle),
            }));
            Client = RpcClient.Create(name, options);
            Client.ConnectionChanged += (_, _) => At("connection");
            if (place != "connection")
                Assert.Equal(1, Client.Call(Hand.Ask, 1));
        }

        public RpcClient Client { get; }

        public Exception? Failure { get; private set; }

        public async Task Provoke()
        {
            Volatile.Write(ref _armed, true);
            try
            {
                await Eventually.Ends(Make());
            }
            catch (Exception e) when (e is RpcCallException or OperationCanceledException or ObjectDisposedException)
            {
                // It was ended, or its message was refused what it wanted: said below.
            }

            Eventually.True(() => Volatile.Read(ref _done) == 2, "the code has run");
        }

        public void Dispose() => Client.Dispose();

        private async Task Make()
        {
            switch (_place)
            {
                case "written request":
                    await Client.CallAsync(new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, Codec("written request", ""), Hand.Number), 1);
                    break;
                case "read response":
                    await Client.CallAsync(new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, Hand.Number, Codec("", "read response")), 1);
                    break;
                case "written item":
                    await Client.ClientStream(
                        new RpcStreamMethod<int, int, int>(Hand.Name, "Sum", RpcMethodKind.ClientStream, Hand.Number, Codec("written item", ""), Hand.Number), 1, new Source(3));
                    break;
                case "source":
                    await Client.ClientStream(Hand.Sum, 1, new Source(3, (_, _) =>
                    {
                        At("source");
                        return default;
                    }));
                    break;
                case "read item":
                    await foreach (int _ in Client.Stream(new RpcMethod<int, int>(Hand.Name, "Items", RpcMethodKind.ServerStream, Hand.Number, Codec("", "read item")), 3))
                    {
                    }

                    break;
                case "read report":
                    await Client.CallAsync(new RpcProgressMethod<int, int, int>(Hand.Name, "Work", Hand.Number, Hand.Number, Codec("", "read report")), 1, new Report(static () => { }));
                    break;
                case "report":
                    await Client.CallAsync(Hand.Work, 1, new Report(() => At("report")));
                    break;
                case "answer":
                    await Client.WithAnswer(_ => At("answer")).CallAsync(Hand.Ask, 1);
                    break;
                case "token":
                    using (var cancellationToken = new CancellationTokenSource())
                    {
                        ValueTask<int> call = Client.CallAsync(Hand.Other, 1, cancellationToken.Token);
                        using CancellationTokenRegistration registration = cancellationToken.Token.Register(() => At("token"));
                        await cancellationToken.CancelAsync();
                        await call;
                    }

                    break;
                case "connection" or "interceptor":
                    await Client.CallAsync(Hand.Ask, 1);
                    break;
                default:
                    await Client.CallAsync(Hand.Third, 1);
                    break;
            }
        }

        private int Handle(int number)
        {
            At("callback");
            At("inline callback");
            At("asynchronous callback");
            return _place == "callback failed" ? throw new FormatException("for the one who is told") : number;
        }

        private void At(string place)
        {
            if (place != _place || !Volatile.Read(ref _armed) || Interlocked.CompareExchange(ref _done, 1, 0) != 0)
                return;
            try
            {
                _act(Client);
            }
            catch (Exception e)
            {
                Failure = e;
            }

            Volatile.Write(ref _done, 2);
        }

        private MessageCodec<int> Codec(string writing, string reading) => new(
            "Number",
            (ref ProtoWriter writer, in int value) =>
            {
                At(writing);
                Hand.Number.Write(ref writer, in value);
            },
            (ref ProtoReader reader) =>
            {
                At(reading);
                return Hand.Number.Read(ref reader);
            },
            package: Hand.Name);

        private sealed class Report(Action report) : IProgress<int>
        {
            void IProgress<int>.Report(int value) => report();
        }

        private sealed class Interceptor(User user, RpcCaller inner) : RpcForwardingCaller(inner)
        {
            public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
            {
                user.At("interceptor");
                return Next.CallAsync(method, in request, cancellationToken);
            }
        }
    }
}
