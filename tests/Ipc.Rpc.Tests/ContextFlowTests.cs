using System.Collections.Generic;
using System.Globalization;
using System.Linq;
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

    /// <summary>Handlers that return at once share what flows with them; one that does not must have it to itself.</summary>
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
}
