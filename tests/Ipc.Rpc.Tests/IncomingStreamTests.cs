using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Streams of callers, as a server sees them: frame by frame, the right ones and the wrong ones.</summary>
public sealed class IncomingStreamTests
{
    private static readonly RpcHandler _sum = RpcHandler.ClientStream(Hand.Sum, static async (first, items, _) =>
    {
        int sum = first;
        await foreach (int item in items)
            sum += item;
        return sum;
    });

    [Fact]
    public void AStreamIsConsumedAndAnswered()
    {
        using RpcServer server = Hand.Serve(out string name, _sum);
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(100));
        for (int i = 1; i <= 5; i++)
            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i));
        client.Send(new FrameHeader(FrameKind.End, 1));
        FrameHeader answer = NextBut(client, FrameKind.Credit, out byte[] body);
        Assert.Equal(FrameKind.Response, answer.Kind);
        Assert.Equal(115, Hand.Value(body));
    }

    [Fact]
    public void CreditIsGivenAsItemsAreConsumed()
    {
        using RpcServer server = Hand.Serve(out string name, new RpcServerOptions { StreamWindow = 64 }, _sum);
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(0));
        long credit = FrameHeader.FirstClientCredit;
        for (int i = 1; i <= 1000; i++)
        {
            while (credit == 0)
            {
                FrameHeader given = client.Receive();
                Assert.Equal(FrameKind.Credit, given.Kind);
                Assert.InRange((int)given.Method, 1, 64);
                credit += given.Method;
            }

            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i));
            credit--;
        }

        client.Send(new FrameHeader(FrameKind.End, 1));
        Assert.Equal(FrameKind.Response, NextBut(client, FrameKind.Credit, out byte[] body).Kind);
        Assert.Equal(500500, Hand.Value(body));
    }

    [Fact]
    public async Task ItemsBeyondTheCreditEndTheStreamAndNothingElse()
    {
        var held = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var begun = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var fired = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Exception? seen = null;
        using RpcServer server = Hand.Serve(out string name, _sum, RpcHandler.Duplex(Hand.Scale, (_, items, cancel) => Never(items, cancel)));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Scale, 1, credit: 5), Hand.Bytes(1));
        for (int i = 0; i < FrameHeader.FirstClientCredit; i++)
            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i));
        client.Send(Hand.Request(Hand.Sum, 2), Hand.Bytes(0));
        client.Send(new FrameHeader(FrameKind.End, 2));
        Assert.Equal(2UL, NextBut(client, FrameKind.Credit, out _).Call); // all 32 were allowed
        await Eventually.Ends(begun.Task); // while one begins others are handled; one whose call has ended never does
        client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(33));
        FrameHeader error = client.Receive();
        Assert.Equal(FrameKind.Error, error.Kind);
        Assert.Equal(1UL, error.Call);
        Assert.Equal((ushort)RpcStatus.ResourceExhausted, error.Code);
        await Eventually.Ends(fired.Task);
        held.SetResult(true);

        client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(34)); // late ones are dropped
        client.Send(Hand.Request(Hand.Sum, 3), Hand.Bytes(7));
        client.Send(new FrameHeader(FrameKind.End, 3));
        Assert.Equal(3UL, NextBut(client, FrameKind.Credit, out byte[] body).Call);
        Assert.Equal(7, Hand.Value(body));
        Eventually.True(() => Volatile.Read(ref seen) is not null, "the handler has looked at its stream");
        Assert.Equal(RpcStatus.ResourceExhausted, Assert.IsType<RpcCallException>(seen).Status);

        async IAsyncEnumerable<int> Never(IAsyncEnumerable<int> items, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancel)
        {
            using CancellationTokenRegistration registration = cancel.Register(() => fired.SetResult(true));
            begun.SetResult(true);
            await held.Task;
            int count = 0;
            try
            {
                await foreach (int item in items)
                    Assert.Equal(count++, item);
            }
            catch (RpcCallException e)
            {
                Volatile.Write(ref seen, e);
                throw;
            }

            yield return count;
        }
    }

    [Fact]
    public void AnAnswerMayComeBeforeTheStreamHasEnded()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ClientStream(Hand.Sum, static async (first, items, cancel) =>
        {
            await using IAsyncEnumerator<int> all = items.GetAsyncEnumerator(cancel);
            await all.MoveNextAsync();
            return first + all.Current;
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(10));
        client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(5));
        Assert.Equal(FrameKind.Response, NextBut(client, FrameKind.Credit, out byte[] body).Kind);
        Assert.Equal(15, Hand.Value(body));
        for (int i = 0; i < 100; i++)
            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i)); // crossed it: dropped, however many they are
        client.Send(new FrameHeader(FrameKind.End, 1));
        Alive(client);
    }

    [Fact]
    public void AnItemThatCannotBeDecodedEndsItsCallOnly()
    {
        using RpcServer server = Hand.Serve(out string name, _sum);
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(10));
        client.Send(new FrameHeader(FrameKind.Item, 1), 0xff, 0xff, 0xff);
        FrameHeader error = NextBut(client, FrameKind.Credit, out byte[] body);
        Assert.Equal(FrameKind.Error, error.Kind);
        Assert.Equal((ushort)RpcStatus.InvalidArgument, error.Code);
        Assert.Contains("hand.v1/Sum", ErrorBody.Decode(body).Text, StringComparison.Ordinal);
        Alive(client);
    }

    [Fact]
    public void AnItemForACallWithoutAStreamEndsThatCall()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(Hand.Ask, static async (_, cancel) =>
        {
            await Task.Delay(Timeout.Infinite, cancel);
            return 0;
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Ask, 1), Hand.Bytes(10));
        client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(1));
        FrameHeader error = client.Receive();
        Assert.Equal((ushort)RpcStatus.ResourceExhausted, error.Code);
        Alive(client);
    }

    [Fact]
    public void CancellingReachesAHandlerThatWaitsForItems()
    {
        Exception? seen = null;
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ClientStream(Hand.Sum, async (_, items, _) =>
        {
            try
            {
                await foreach (int item in items)
                {
                }
            }
            catch (Exception e)
            {
                Volatile.Write(ref seen, e);
                throw;
            }

            return 0;
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(10));
        client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(10));
        Assert.Equal(FrameKind.Credit, client.Receive().Kind); // it looks at its stream
        client.Send(new FrameHeader(FrameKind.Cancel, 1));
        FrameHeader error = NextBut(client, FrameKind.Credit, out _);
        Assert.Equal(FrameKind.Error, error.Kind);
        Assert.Equal((ushort)RpcStatus.Cancelled, error.Code);
        Assert.IsAssignableFrom<OperationCanceledException>(seen);
        Alive(client);
    }

    [Fact]
    public void TheDeadlineEndsAStreamThatNobodyEnds()
    {
        using RpcServer server = Hand.Serve(out string name, _sum);
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1, deadline: Deadline.After(TimeSpan.FromMilliseconds(50)).Nanoseconds), Hand.Bytes(10));
        Assert.Equal((ushort)RpcStatus.DeadlineExceeded, NextBut(client, FrameKind.Credit, out _).Code);
    }

    [Fact]
    public async Task AClosedConnectionEndsTheHandlersStream()
    {
        var ended = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ClientStream(Hand.Sum, async (_, items, _) =>
        {
            try
            {
                await foreach (int item in items)
                {
                }
            }
            catch (Exception e)
            {
                ended.SetResult(e);
                throw;
            }

            return 0;
        }));
        using (var client = new RawClient(name))
        {
            client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(10));
            Assert.Equal(FrameKind.Credit, client.Receive().Kind);
        }

        Assert.IsAssignableFrom<OperationCanceledException>(await Eventually.Ends(ended.Task));
    }

    [Fact]
    public void BothStreamsOfADuplexCallFlow()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Duplex(Hand.Scale, static (factor, items, _) => Scale(factor, items)));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Scale, 1, credit: 3), Hand.Bytes(10));
        for (int i = 1; i <= 4; i++)
            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i));
        for (int i = 1; i <= 3; i++)
        {
            Assert.Equal(FrameKind.Item, NextBut(client, FrameKind.Credit, out byte[] body).Kind);
            Assert.Equal(10 * i, Hand.Value(body));
        }

        client.Send(new FrameHeader(FrameKind.Credit, 1, method: 2)); // the fourth waited for it
        Assert.Equal(FrameKind.Item, NextBut(client, FrameKind.Credit, out byte[] last).Kind);
        Assert.Equal(40, Hand.Value(last));
        client.Send(new FrameHeader(FrameKind.End, 1));
        Assert.Equal(FrameKind.End, NextBut(client, FrameKind.Credit, out _).Kind);
        client.Send(new FrameHeader(FrameKind.End, 1)); // an end after an end is dropped
        Alive(client);

        static async IAsyncEnumerable<int> Scale(int factor, IAsyncEnumerable<int> items)
        {
            await foreach (int item in items)
                yield return factor * item;
        }
    }

    [Fact]
    public void TheCalleesEndEndsADuplexCallWhoseCallerGoesOn()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Duplex(Hand.Scale, static (_, _, _) => Two()));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Scale, 1, credit: 30), Hand.Bytes(10));
        Assert.Equal(new[] { FrameKind.Item, FrameKind.Item, FrameKind.End }, Enumerable.Range(0, 3).Select(_ => client.Receive().Kind));
        for (int i = 1; i <= 50; i++)
            client.Send(new FrameHeader(FrameKind.Item, 1), Hand.Bytes(i));
        Alive(client);

        static async IAsyncEnumerable<int> Two()
        {
            await Task.Yield();
            yield return 1;
            yield return 2;
        }
    }

    [Fact]
    public async Task AStreamCanBeEnumeratedOnce()
    {
        var second = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.ClientStream(Hand.Sum, (_, items, cancel) =>
        {
            items.GetAsyncEnumerator(cancel);
            second.SetResult(Record.Exception(() => { items.GetAsyncEnumerator(cancel); }));
            return new ValueTask<int>(1);
        }));
        using var client = new RawClient(name);
        client.Send(Hand.Request(Hand.Sum, 1), Hand.Bytes(10));
        Assert.IsType<InvalidOperationException>(await Eventually.Ends(second.Task));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(7, 0)]
    public void AStreamingMethodCalledAsAnotherKindIsRefused(ushort credit, byte flags)
    {
        using RpcServer server = Hand.Serve(out string name, _sum);
        using var client = new RawClient(name);
        client.Send(new FrameHeader(FrameKind.Request, 1, credit, Hand.Sum.Id, flags: flags), Hand.Bytes(10));
        FrameHeader error = client.Receive(out byte[] body);
        Assert.Equal((ushort)RpcStatus.Unimplemented, error.Code);
        Assert.Contains("ClientStream", ErrorBody.Decode(body).Text, StringComparison.Ordinal);
        client.Send(new FrameHeader(FrameKind.Request, 2, 0, Hand.Sum.Id, flags: FrameFlags.ClientStream | FrameFlags.OneWay), Hand.Bytes(10));
        Eventually.True(() => server.FailedOneWayCalls == 1, "a one-way stream is counted");
    }

    /// <summary>The next frame that is not of a kind.</summary>
    internal static FrameHeader NextBut(RawClient client, FrameKind kind, out byte[] body)
    {
        FrameHeader header;
        do
        {
            header = client.Receive(out body);
        }
        while (header.Kind == kind);
        return header;
    }

    private static void Alive(RawClient client)
    {
        client.Send(new FrameHeader(FrameKind.Ping, 4711));
        FrameHeader pong = NextBut(client, FrameKind.Credit, out _);
        Assert.Equal(FrameKind.Pong, pong.Kind);
    }
}
