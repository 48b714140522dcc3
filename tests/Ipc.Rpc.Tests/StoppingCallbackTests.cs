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
