using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A call leaves nothing with a token that lives longer than it does.</summary>
[Collection(nameof(Alone))]
public sealed class TokenTests
{
    [Theory]
    [InlineData("unary")]
    [InlineData("asynchronous")]
    [InlineData("never awaited")]
    [InlineData("progress")]
    [InlineData("stream")]
    [InlineData("abandoned stream")]
    [InlineData("client stream")]
    [InlineData("duplex")]
    [InlineData("refused")]
    public async Task ATokenOfTheApplicationDoesNotGrow(string shape)
    {
        using RpcServer server = Serve(out string name);
        using RpcClient client = RpcClient.Connect(name);
        using var application = new CancellationTokenSource();
        await Check(client, shape, application);
    }

    /// <summary>The same for calls that a handler makes: they have its token besides, and the two were joined by a source that nobody disposed.</summary>
    [Theory]
    [InlineData("unary")]
    [InlineData("asynchronous")]
    [InlineData("never awaited")]
    [InlineData("progress")]
    [InlineData("stream")]
    [InlineData("client stream")]
    [InlineData("duplex")]
    public async Task NorDoesItWhenHandlersCall(string shape)
    {
        using RpcServer server = Serve(out string name);
        using RpcClient inner = RpcClient.Connect(name);
        using var application = new CancellationTokenSource();
        using RpcServer outer = Hand.Serve(out string outerName, RpcHandler.UnaryAsync(Hand.Ask, async (number, cancel) =>
        {
            Assert.True(cancel.CanBeCanceled);
            await Check(inner, shape, application);
            return number;
        }));
        using RpcClient client = RpcClient.Connect(outerName);
        Assert.Equal(1, await Eventually.Ends(client.CallAsync(Hand.Ask, 1).AsTask()));
    }

    [Fact]
    public async Task ACallMadeInAHandlerIsCancelledByEither()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(Hand.Other, static async (number, cancel) =>
        {
            await Task.Delay(Timeout.Infinite, cancel);
            return number;
        }));
        using RpcClient inner = RpcClient.Connect(name);
        using var own = new CancellationTokenSource();
        using var unfired = new CancellationTokenSource();
        var began = new TaskCompletionSource<CancellationToken>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer outer = Hand.Serve(out string outerName, RpcHandler.UnaryAsync(Hand.Ask, async (number, cancel) =>
        {
            ValueTask<int> call = inner.CallAsync(Hand.Other, number, number == 0 ? own.Token : unfired.Token);
            began.TrySetResult(cancel);
            OperationCanceledException e = await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await call);
            return e.CancellationToken == own.Token ? 1 : e.CancellationToken == cancel ? 2 : 3;
        }));
        using RpcClient client = RpcClient.Connect(outerName);
        Task<int> first = client.CallAsync(Hand.Ask, 0).AsTask();
        await Eventually.Ends(began.Task);
        own.Cancel();
        Assert.Equal(1, await Eventually.Ends(first));

        using var other = new CancellationTokenSource();
        Task<int> second = client.CallAsync(Hand.Ask, 1, other.Token).AsTask();
        other.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(second));
    }

    private static RpcServer Serve(out string name) => Hand.Serve(
        out name,
        RpcHandler.Unary(Hand.Ask, static (number, _) => number < 0 ? throw new RpcCallException(RpcStatus.NotFound, "no") : number),
        RpcHandler.UnaryProgress(Hand.Work, static (number, progress, _) =>
        {
            progress.Report(1);
            return new ValueTask<int>(number);
        }),
        RpcHandler.ServerStream(Hand.Items, static (number, cancel) => new Source(number)),
        RpcHandler.ClientStream(Hand.Sum, static async (number, items, cancel) =>
        {
            await foreach (int item in items)
                number += item;
            return number;
        }),
        RpcHandler.Duplex(Hand.Scale, static (number, items, cancel) => items));

    private static async Task Check(RpcClient client, string shape, CancellationTokenSource application)
    {
        const int Calls = 200;
        for (int i = 0; i < Calls; i++)
            await Make(client, shape, application.Token);
        Eventually.True(() => SettledTests.PendingCalls(client) == 0, "every call has ended");
        Eventually.True(() => Registrations.Count(application) == 0, "nothing is left with the token; there is: " + Registrations.Count(application));
    }

    private static async Task Make(RpcClient client, string shape, CancellationToken cancel)
    {
        switch (shape)
        {
            case "unary":
                Assert.Equal(3, client.Call(Hand.Ask, 3, cancel));
                break;
            case "asynchronous":
                Assert.Equal(3, await client.CallAsync(Hand.Ask, 3, cancel));
                break;
            case "refused":
                await Assert.ThrowsAsync<RpcCallException>(async () => await client.CallAsync(Hand.Ask, -3, cancel));
                break;
            case "never awaited":
                ValueTask<int> forgotten = client.CallAsync(Hand.Ask, 3, cancel);
                Assert.Equal(3, client.Call(Hand.Ask, 3, cancel)); // reads that answer, too, unless its handler was overtaken
                Eventually.True(() => forgotten.IsCompleted, "the call has ended");
                break;
            case "progress":
                Assert.Equal(3, await client.CallAsync(Hand.Work, 3, new Progress<int>(), cancel));
                break;
            case "stream":
                await foreach (int item in client.Stream(Hand.Items, 3, cancel))
                    Assert.True(item > 0);
                break;
            case "abandoned stream":
                await foreach (int item in client.Stream(Hand.Items, 100_000, cancel))
                    break;
                break;
            case "client stream":
                Assert.Equal(9, await client.ClientStream(Hand.Sum, 3, new Source(3), cancel));
                break;
            default:
                await foreach (int item in client.Duplex(Hand.Scale, 3, new Source(3), cancel))
                    Assert.True(item > 0);
                break;
        }
    }
}
