using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A consumer that comes for one item reads others that are there, and is not kept by them: docs/guide/user-code.md.</summary>
public sealed class ReadAheadTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public async Task ASlowCodecKeepsBackNoItem(WaitMode mode)
    {
        int decoded = 0;
        var slow = new MessageCodec<int>("Slow", static (ref ProtoWriter _, in int _) => { }, (ref ProtoReader _) =>
        {
            Thread.Sleep(20);
            return Interlocked.Increment(ref decoded);
        });
        using var server = new RawServer();
        using RpcClient client = await Connect(server, new RpcClientOptions { WaitMode = mode });
        await using IAsyncEnumerator<int> items = client.Stream(new RpcMethod<int, int>(Hand.Name, "Slow", RpcMethodKind.ServerStream, Hand.Number, slow), 1, Token).GetAsyncEnumerator(Token);
        FrameHeader item = await Begin(items, server);
        for (int i = 0; i < 20; i++)
            server.Send(item, Hand.Bytes(1));
        Assert.True(await items.MoveNextAsync());
        Assert.InRange(decoded, 2, 4); // of 21: the first, this one, and one in whose time the clock did not move
    }

    private static async Task<RpcClient> Connect(RawServer server, RpcClientOptions options)
    {
        Task accepting = server.AcceptAside();
        RpcClient client = RpcClient.Connect(server.Name, options);
        await accepting;
        return client;
    }

    /// <summary>Takes the first item, so that nobody waits when the next ones come.</summary>
    private static async Task<FrameHeader> Begin(IAsyncEnumerator<int> items, RawServer server)
    {
        Task<bool> first = items.MoveNextAsync().AsTask();
        FrameHeader item = new(FrameKind.Item, server.Receive().Call);
        server.Send(item, Hand.Bytes(1));
        Assert.True(await Eventually.Ends(first));
        return item;
    }
}
