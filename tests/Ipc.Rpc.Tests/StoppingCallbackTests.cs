using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A callback that calls again while the server stops in good order: the server waits for the handler that waits for the callback, so no successor comes
/// before the callback has returned.</summary>
public sealed class StoppingCallbackTests
{
    private const string Says = "is stopping and has not handled the call";

    private static readonly RpcMethod<int, int> _down = new("back.v1", "Down", RpcMethodKind.Unary, Hand.Number, Hand.Number);

    /// <summary>The synchronous call ended with a NotSupportedException: its caller is bound to the connection, and knows of no other one.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ACallOfTheCallersOwnEndsUnsent(bool isAsync)
    {
        Task Again(RpcClient client) => isAsync
            ? RpcContext.Current!.Caller.CallAsync(Hand.Other, 1).AsTask()
            : Task.FromResult(RpcContext.Current!.Caller.Call(Hand.Other, 1));
        Assert.Equal((RpcStatus.Unavailable, true, true), await CallAgainWhileTheServerStops(new RpcClientOptions(), Again));
    }

    /// <summary>A call of the client itself was made again, of a server that could not come: until the time to connect was over, or for ever where the client waits for
    /// its server. So long the server did not end, either.</summary>
    [Theory]
    [InlineData("Call", false, false)]
    [InlineData("Call", true, false)]
    [InlineData("Call", false, true)]
    [InlineData("CallAsync", false, false)]
    [InlineData("CallAsync", true, false)]
    [InlineData("CallAsync", false, true)]
    [InlineData("progress", false, false)]
    [InlineData("progress", true, false)]
    [InlineData("stream", false, false)]
    [InlineData("stream", true, false)]
    [InlineData("upload", true, false)]
    public async Task OneOfTheClientEndsUnsentToo(string kind, bool waits, bool retries)
    {
        RpcClientOptions Options() => new()
        {
            WaitForReady = waits,
            ConnectTimeout = Eventually.Watchdog,
            Retry = retries ? new RpcRetryPolicy { Attempts = 1000, FirstPause = TimeSpan.FromSeconds(1), On = { RpcStatus.Unavailable } } : null,
        };
        Assert.Equal((RpcStatus.Unavailable, true, true), await CallAgainWhileTheServerStops(Options(), client => Call(client, kind)));
        // the connection is known to be left now: what comes after that is not sent at all
        Assert.Equal((RpcStatus.Unavailable, true, true), await CallAgainWhileTheServerStops(Options(), client => CallTwice(client, kind), isAsync: true));
    }

    private static async Task CallTwice(RpcClient client, string kind)
    {
        await Assert.ThrowsAsync<RpcCallException>(() => Call(client, kind));
        await Call(client, kind);
    }

    private static async Task Call(RpcClient client, string kind)
    {
        switch (kind)
        {
            case "Call":
                client.Call(Hand.Other, 1);
                break;
            case "CallAsync":
                await client.CallAsync(Hand.Other, 1);
                break;
            case "progress":
                await client.CallAsync(Hand.Work, 1, new Progress<int>());
                break;
            case "upload":
                await client.ClientStream(Hand.Sum, 1, new Source(3));
                break;
            default:
                await foreach (int item in client.Stream(Hand.Items, 1))
                    Assert.Fail("an item: " + item);
                break;
        }
    }

    /// <summary>What a call that a callback makes ends with, when its server has begun to stop.</summary>
    private static async Task<(RpcStatus Status, bool IsUnsent, bool SaysSo)> CallAgainWhileTheServerStops(
        RpcClientOptions options, Func<RpcClient, Task> again, bool isAsync = false)
    {
        using var stops = new ManualResetEventSlim();
        var inside = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        RpcCallException? failure = null;
        RpcClient? client = null;
        async ValueTask<int> Down(int number)
        {
            inside.TrySetResult();
            stops.Wait(Eventually.Watchdog, CancellationToken.None);
            try
            {
                await again(client!);
            }
            catch (RpcCallException e)
            {
                failure = e;
            }

            return number;
        }

        options.Services.Add(new RpcService(
            "back.v1", [isAsync ? RpcHandler.UnaryAsync(_down, Down) : RpcHandler.Unary(_down, number => Down(number).AsTask().GetAwaiter().GetResult())]));
        await using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(Hand.Other, static (number, _) => number),
            RpcHandler.Unary(Hand.Ask, static (number, _) => RpcContext.Current!.Caller.Call(_down, number, CancellationToken.None)));
        using (client = RpcClient.Connect(name, options, TestContext.Current.CancellationToken))
        {
            Task<int> call = client.CallAsync(Hand.Ask, 7, TestContext.Current.CancellationToken).AsTask();
            await Eventually.Ends(inside.Task);
            Task stopped = server.StopAsync(TestContext.Current.CancellationToken);
            stops.Set();
            Assert.Equal(7, await Eventually.Ends(call));
            await Eventually.Ends(stopped);
        }

        Assert.NotNull(failure);
        return (failure.Status, failure.IsUnsent, failure.Message.Contains(Says, StringComparison.Ordinal));
    }
}
