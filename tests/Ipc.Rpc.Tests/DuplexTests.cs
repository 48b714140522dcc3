using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Streams both ways at once.</summary>
public sealed class DuplexTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20_000)]
    public async Task ItemsGoBothWaysInOrder(int count)
    {
        using var server = new ShapeServer();
        var source = new Source(count);
        int next = 1;
        await foreach (int item in server.Client.Duplex(Shapes.Shift, 7, source))
            Assert.Equal(7 + next++, item);
        Assert.Equal(count, next - 1);
        Assert.True(source.IsDisposed);
    }

    [Fact]
    public async Task TheDirectionsDoNotWaitForEachOther()
    {
        using var server = new ShapeServer();
        var channel = Channel.CreateUnbounded<int>();
        await using IAsyncEnumerator<int> answers = server.Client.Duplex(Shapes.Shift, 1, channel.Reader.ReadAllAsync()).GetAsyncEnumerator();
        for (int i = 1; i <= 200; i++)
        {
            channel.Writer.TryWrite(i);
            Assert.True(await Eventually.Ends(answers.MoveNextAsync().AsTask()));
            Assert.Equal(i + 1, answers.Current);
        }

        channel.Writer.Complete();
        Assert.False(await Eventually.Ends(answers.MoveNextAsync().AsTask()));
    }

    [Fact]
    public async Task AnEarlyEndOfTheCalleeEndsTheSource()
    {
        using var server = new ShapeServer();
        var source = new Source(-1);
        Assert.Equal(new[] { 1, 2, 3 }, await server.Client.Duplex(Shapes.Shift, -1, source).ToArrayAsync());
        Eventually.True(() => source.IsDisposed, "the source is disposed");
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));
    }

    [Fact]
    public async Task AFailureInTheMiddleComesAfterTheItemsBeforeIt()
    {
        using var server = new ShapeServer();
        var source = new Source(-1);
        int seen = 0;
        RpcCallException e = await Assert.ThrowsAsync<RpcCallException>(async () =>
        {
            await foreach (int item in server.Client.Duplex(Shapes.Shift, -2, source))
                Assert.Equal(++seen, item);
        });
        Assert.Equal(RpcStatus.Aborted, e.Status);
        Assert.Equal(3, seen);
        Eventually.True(() => source.IsDisposed, "the source is disposed");
    }

    [Fact]
    public async Task LeavingTheLoopEndsSourceAndHandler()
    {
        using var server = new ShapeServer();
        var source = new Source(-1, static async (item, cancel) => await Task.Delay(item < 4 ? 0 : Timeout.Infinite, cancel));
        await foreach (int item in server.Client.Duplex(Shapes.Shift, 0, source))
        {
            if (item == 3)
                break;
        }

        Eventually.True(() => source.IsDisposed && source.IsCancelled && server.Shapes.Ended == 1, "source and handler end");
        ErrorTests.Lives(TestServiceRpc.Client(server.Client));
    }

    [Fact]
    public async Task WhatTheSourceThrowsComesOutOfTheAnswers()
    {
        using var server = new ShapeServer();
        var source = new Source(-1, (item, _) =>
        {
            if (item < 3)
                return default;
            Eventually.True(() => server.Shapes.Begun == 1, "the handler begins");
            throw new InvalidDataException("no third");
        });
        await Assert.ThrowsAsync<InvalidDataException>(async () =>
        {
            await foreach (int item in server.Client.Duplex(Shapes.Shift, 0, source))
                Assert.InRange(item, 1, 2);
        });
        Eventually.True(() => server.Shapes.Ended == 1, "the handler ends");
        Assert.True(source.IsDisposed);
    }

    [Fact]
    public async Task CancellationEndsBothStreams()
    {
        using var server = new ShapeServer();
        using var cancel = new CancellationTokenSource();
        var source = new Source(-1, static async (item, token) => await Task.Delay(item < 4 ? 0 : Timeout.Infinite, token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (int item in server.Client.Duplex(Shapes.Shift, 0, source, cancel.Token))
            {
                if (item == 3)
                    cancel.Cancel();
            }
        });
        Eventually.True(() => source.IsDisposed && server.Shapes.Ended == 1, "source and handler end");
    }

    [Fact]
    public async Task EachEnumerationIsACallWithASourceOfItsOwn()
    {
        using var server = new ShapeServer();
        IAsyncEnumerable<int> both = server.Client.Duplex(Shapes.Shift, 1, new Source(5));
        Assert.Equal(new[] { 2, 3, 4, 5, 6 }, await both.ToArrayAsync());
        Assert.Equal(new[] { 2, 3, 4, 5, 6 }, await both.ToArrayAsync());
    }
}
