using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Streams from the caller: order, end, failure on either side, credit.</summary>
public sealed class ClientStreamTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(32)]
    [InlineData(33)]
    [InlineData(20_000)]
    public async Task EveryItemArrivesAndThenTheAnswerComes(int count)
    {
        using var server = new ShapeServer();
        var source = new Source(count);
        int sum = await Eventually.Ends(server.Client.ClientStream(Shapes.Sum, 5, source).AsTask());
        Assert.Equal(unchecked(5 + (int)((long)count * (count + 1) / 2)), sum);
        Assert.Equal(count, server.Shapes.ItemsSeen);
        Assert.True(source.IsDisposed);
    }

    /// <summary>The credit for its items comes on a connection that nobody reads for answers.</summary>
    [Fact]
    public async Task ASourceGoesOnWhileNobodyAsksForAnAnswer()
    {
        TaskCompletionSource<bool> gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        RpcServerOptions narrow = new() { StreamWindow = FrameHeader.FirstClientCredit };
        using RpcServer server = Hand.Serve(out string name, narrow, RpcHandler.Duplex(Hand.Scale, (_, items, cancel) => FirstAndCount(items, cancel)));
        using RpcClient client = RpcClient.Connect(name);
        var source = new Source(2000);
        await using IAsyncEnumerator<int> answers = client.Duplex(Hand.Scale, 0, source).GetAsyncEnumerator();
        Assert.True(await Eventually.Ends(answers.MoveNextAsync().AsTask()));
        Assert.Equal(1, answers.Current);
        Eventually.True(() => source.Produced == FrameHeader.FirstClientCredit, "the first credit is used up");
        gate.SetResult(true);
        Eventually.True(() => source.Produced == 2000, "the whole source is sent");
        Assert.True(await Eventually.Ends(answers.MoveNextAsync().AsTask()));
        Assert.Equal(2000, answers.Current);
        Assert.False(await Eventually.Ends(answers.MoveNextAsync().AsTask()));

        async IAsyncEnumerable<int> FirstAndCount(IAsyncEnumerable<int> items, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancel)
        {
            await using IAsyncEnumerator<int> all = items.GetAsyncEnumerator(cancel);
            Assert.True(await all.MoveNextAsync());
            yield return all.Current;
            await gate.Task;
            int count = 1;
            while (await all.MoveNextAsync())
                count++;
            yield return count;
        }
    }

    [Fact]
    public async Task AnEarlyAnswerEndsTheSource()
    {
        using var server = new ShapeServer();
        var source = new Source(-1);
        Assert.Equal(1, await Eventually.Ends(server.Client.ClientStream(Shapes.Sum, -1, source).AsTask()));
        Eventually.True(() => source.IsDisposed, "the source is disposed");
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));
    }

    [Fact]
    public async Task AnEarlyAnswerReachesASourceThatWaits()
    {
        using var server = new ShapeServer();
        var source = new Source(-1, static async (item, cancel) => await Task.Delay(item <= 3 ? 0 : Timeout.Infinite, cancel));
        Assert.Equal(1, await Eventually.Ends(server.Client.ClientStream(Shapes.Sum, -1, source).AsTask()));
        Eventually.True(() => source.IsDisposed && source.IsCancelled, "the source is told and disposed");
    }

    [Fact]
    public async Task TheCalleesFailureEndsTheSource()
    {
        using var server = new ShapeServer();
        var source = new Source(-1);
        RpcCallException e = await Eventually.Fails(server.Client.ClientStream(Shapes.Sum, -2, source).AsTask());
        Assert.Equal(RpcStatus.Aborted, e.Status);
        Eventually.True(() => source.IsDisposed, "the source is disposed");
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(100)]
    public async Task WhatTheSourceThrowsFailsTheCallAndCancelsTheHandler(int at)
    {
        using var server = new ShapeServer();
        var source = new Source(-1, async (item, _) =>
        {
            await Task.Yield();
            if (item == at)
            {
                Eventually.True(() => server.Shapes.Begun == 1, "the handler begins");
                throw new InvalidDataException("no item " + at);
            }
        });
        InvalidDataException e = await Assert.ThrowsAsync<InvalidDataException>(() => Eventually.Ends(server.Client.ClientStream(Shapes.Sum, 0, source).AsTask()));
        Assert.Equal("no item " + at, e.Message);
        Eventually.True(() => server.Shapes.Cancelled == 1, "the handler sees a cancellation");
        Assert.True(source.IsDisposed);
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));
    }

    [Fact]
    public async Task AnItemThatCannotBeEncodedFailsTheCall()
    {
        using var server = new ShapeServer();
        RpcCallException e = await Eventually.Fails(server.Client.ClientStream(Shapes.Sum, 0, Bad(server.Shapes)).AsTask());
        Assert.Equal(RpcStatus.InvalidArgument, e.Status);
        Assert.IsType<InvalidOperationException>(e.InnerException);
        Eventually.True(() => server.Shapes.Cancelled == 1, "the handler sees a cancellation");
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => server.Client.Call(Shapes.Fail, Shapes.Unspeakable)).Status);
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));

        static async IAsyncEnumerable<int> Bad(Shapes shapes)
        {
            yield return 1;
            await Task.Yield();
            Eventually.True(() => shapes.Begun == 1, "the handler begins");
            yield return Shapes.Unspeakable;
        }
    }

    [Fact]
    public async Task CancellationEndsTheCallTheSourceAndTheHandler()
    {
        using var server = new ShapeServer();
        using var cancel = new CancellationTokenSource();
        var source = new Source(10);
        Task<int> call = server.Client.ClientStream(Shapes.Sum, -3, source, cancel.Token).AsTask();
        Eventually.True(() => server.Shapes.ItemsSeen == 10, "the items have arrived");
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));
        Eventually.True(() => server.Shapes.Cancelled == 1, "the handler is cancelled");
    }

    [Fact]
    public async Task TheDeadlineEndsIt()
    {
        using var server = new ShapeServer();
        Source source = null!;
        bool isAsked = false;
        await Eventually.Overruns(
            timeout =>
            {
                source = new Source(-1, async (_, cancel) =>
                {
                    Volatile.Write(ref isAsked, true);
                    await Task.Delay(Timeout.Infinite, cancel);
                });
                return server.Client.WithTimeout(timeout).ClientStream(Shapes.Sum, 0, source).AsTask();
            },
            () => Volatile.Read(ref isAsked));
        Eventually.True(() => source.IsDisposed && source.IsCancelled, "the source is told and disposed");
    }

    [Fact]
    public async Task ItemsAreAskedForOnlyWithCredit()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        var source = new Source(-1);
        Task<int> call = client.ClientStream(Shapes.Sum, 0, source).AsTask();
        FrameHeader request = server.Receive();
        Assert.Equal(FrameFlags.ClientStream, request.Flags);
        Assert.Equal(0, request.Code);
        for (int i = 0; i < FrameHeader.FirstClientCredit; i++)
            Assert.Equal(FrameKind.Item, server.Receive().Kind);
        Assert.Equal(FrameHeader.FirstClientCredit, source.Produced);

        server.Send(new FrameHeader(FrameKind.Credit, request.Call, method: 5));
        for (int i = 0; i < 5; i++)
            Assert.Equal(request.Call, server.Receive().Call);
        Assert.Equal(FrameHeader.FirstClientCredit + 5, source.Produced);

        // An answer; then what may cross it: credit for a stream that has ended is dropped.
        server.Send(new FrameHeader(FrameKind.Response, request.Call), RawClient.Varint(1, 9));
        Assert.Equal(9, await Eventually.Ends(call));
        server.Send(new FrameHeader(FrameKind.Credit, request.Call, method: 5));
        Task<int> next = client.CallAsync(Shapes.Fail, 1).AsTask();
        FrameHeader second = server.Receive();
        Assert.Equal(FrameKind.Request, second.Kind);
        server.Send(new FrameHeader(FrameKind.Response, second.Call), RawClient.Varint(1, 3));
        Assert.Equal(3, await Eventually.Ends(next));
        Eventually.True(() => source.IsDisposed, "the source is disposed");
    }

    [Fact]
    public async Task CreditBeyondWhatCanBeCountedEndsTheConnection()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name);
        await Eventually.Ends(accepting);
        Task<int> call = client.ClientStream(Shapes.Sum, 0, new Source(-1)).AsTask();
        FrameHeader request = server.Receive();
        server.Send(new FrameHeader(FrameKind.Credit, request.Call, method: uint.MaxValue));
        Assert.Equal(RpcStatus.DataLoss, (await Eventually.Fails(call)).Status);
        Assert.Equal(CloseCode.Protocol, server.Connection.PeerCloseCode);
    }

    [Fact]
    public async Task EverythingEndsWhenTheServerIsKilled()
    {
        string name = TestServer.NewName();
        using var server = Peer.Start("serve", name);
        using RpcClient client = RpcClient.Connect(name);
        var waiting = new Source(-1, static async (_, cancel) => await Task.Delay(Timeout.Infinite, cancel));
        Task<int>[] calls =
        {
            client.ClientStream(Shapes.Sum, -3, new Source(10)).AsTask(),
            client.ClientStream(Shapes.Sum, 0, waiting).AsTask(),
            client.ClientStream(Shapes.Sum, 0, new Source(-1)).AsTask(),
            Task.Run(async () => await client.Duplex(Shapes.Shift, 1, new Source(-1)).CountAsync()),
            Task.Run(async () => await client.Duplex(Shapes.Shift, 1, waiting).CountAsync()),
            client.CallAsync(Shapes.Work, -1, new Progress<int>()).AsTask(),
        };
        client.Notify(Shapes.Notice, 1);
        await Eventually.Ends(client.ClientStream(Shapes.Sum, 0, new Source(3)).AsTask());
        server.Kill();
        foreach (Task<int> call in calls)
            Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(call)).Status);
        Eventually.True(() => waiting.IsCancelled, "the sources are told");
    }
}
