using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A graceful stop waits for every call, whatever has been done about it: it was read a moment ago, it runs on
/// the thread that read it, its answer waits for room.</summary>
public sealed class StopWaitsTests
{
    private static readonly RpcMethod<int, byte[]> _blob =
        new(Hand.Name, "Blob", RpcMethodKind.Unary, Hand.Number, TestServiceRpc.Blob.Response);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ForACallThatHasJustBegunOnTheThreadThatReads(bool isInline)
    {
        for (int life = 0; life < 50; life++)
        {
            using var entered = new ManualResetEventSlim();
            using var opened = new ManualResetEventSlim();
            RpcHandler handler = RpcHandler.Unary(Hand.Ask, number =>
            {
                entered.Set();
                opened.Wait();
                return number + 1;
            });
            await using RpcServer server = Hand.Serve(out string name, isInline ? handler.Inline() : handler);
            await using RpcClient client = await RpcClient.ConnectAsync(name);
            Task<int> call = client.CallAsync(Hand.Ask, life).AsTask();
            entered.Wait();
            Task stopping = server.StopAsync();
            Assert.False(stopping.IsCompleted, "stopped while a call was running");
            if (life % 2 == 0)
                await Task.Delay(3); // it has looked again
            opened.Set();
            Assert.Equal(life + 1, await Eventually.Ends(call));
            await Eventually.Ends(stopping);
        }
    }

    [Fact]
    public async Task ForAnswersThatWaitForRoom()
    {
        const int Calls = 30;
        int entered = 0;
        var opened = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(_blob, async size =>
        {
            Interlocked.Increment(ref entered);
            await opened.Task;
            return new byte[size];
        }));
        using var client = new RawClient(name, toClientCapacity: 4096); // of 30 answers, 27 wait
        for (uint call = 1; call <= Calls; call++)
            client.Send(Hand.Request(_blob, call), Hand.Bytes(1000));
        Eventually.True(() => Volatile.Read(ref entered) == Calls, "all handlers wait");
        opened.SetResult(true);
        Task stopping = server.StopAsync();
        await Task.Delay(100); // every handler has returned, and the stop has looked many times
        Assert.False(stopping.IsCompleted, "stopped while answers waited for room");
        for (int i = 0; i < Calls; i++)
            Assert.Equal(FrameKind.Response, client.Receive().Kind);
        await Eventually.Ends(stopping);
    }
}
