using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Which call asynchronous code belongs to, wherever and however late it runs.</summary>
public sealed class ContextFlowTests
{
    [Fact]
    public async Task ALeftBehindTaskKeepsTheContextOfItsOwnCall()
    {
        var contexts = new List<RpcContext>();
        var go = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var left = new List<Task<RpcContext?>>();
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(Hand.Ask, (number, _) =>
        {
            contexts.Add(RpcContext.Current!);
            left.Add(Later());
            return new ValueTask<int>(number);
        }));
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 5; i++)
            client.Call(Hand.Ask, i);
        go.SetResult(true);
        Assert.Equal(contexts, await Eventually.Ends(Task.WhenAll(left)));
        Assert.Equal(5, contexts.Distinct().Count());

        async Task<RpcContext?> Later()
        {
            await go.Task;
            return RpcContext.Current;
        }
    }

    /// <summary>Between handlers that return at once, on the same threads.</summary>
    [Fact]
    public async Task AHandlerThatContinuesElsewhereFindsItsOwnContextThere()
    {
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Ask, static (number, _) => new ValueTask<int>(number)),
            RpcHandler.UnaryAsync(Hand.Other, async static (_, _) =>
            {
                await Task.Yield();
                return int.Parse(RpcContext.Current!.RequestMetadata.GetText("number")!, CultureInfo.InvariantCulture);
            }));
        using RpcClient client = RpcClient.Connect(name);
        var late = new List<Task<int>>();
        for (int i = 0; i < 200; i++)
        {
            Assert.Equal(i, client.Call(Hand.Ask, i));
            var who = new RpcMetadata();
            who.Add("number", i.ToString(CultureInfo.InvariantCulture));
            late.Add(client.With(who).CallAsync(Hand.Other, 0).AsTask());
            Assert.Equal(i, await client.CallAsync(Hand.Ask, i));
        }

        Assert.Equal(Enumerable.Range(0, 200), await Eventually.Ends(Task.WhenAll(late)));
    }

    /// <summary>A registration may reuse what an earlier one was kept in: that nothing was allocated does not say that nothing was kept.</summary>
    [Fact]
    public void ACallbackThatAHandlerRegisteredBelongsToItsCall()
    {
        using var later = new CancellationTokenSource();
        string? seen = null;
        Action look = () => seen = RpcContext.Current?.RequestMetadata.GetText("number");
        CancellationTokenRegistration registration = default;
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Ask, (number, _) =>
            {
                registration.Dispose();
                registration = later.Token.Register(look);
                return new ValueTask<int>(number);
            }),
            RpcHandler.UnaryAsync(Hand.Other, static (number, _) => new ValueTask<int>(number)));
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 1; i <= 5; i++)
        {
            var number = new RpcMetadata();
            number.Add("number", i.ToString(CultureInfo.InvariantCulture));
            client.With(number).Call(Hand.Ask, 0);
        }

        client.Call(Hand.Other, 0);
        later.Cancel();
        Assert.Equal("5", seen);
    }
}
