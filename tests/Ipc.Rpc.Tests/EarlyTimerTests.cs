using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Nothing that a deadline ends is ended before it, by the clock in which deadlines are. The timers of .NET fire some milliseconds early now and then: of 600 short ones, some sixty.</summary>
public sealed class EarlyTimerTests
{
    private const int Rounds = 60, AtOnce = 10;

    /// <summary>Of all fractions of a millisecond: a timer counts in whole ones.</summary>
    private static Deadline Soon(int number) => Deadline.After(TimeSpan.FromTicks(20_000 + (number * 7_919 % 60_000)));

    [Fact]
    public void AServersTokenAndItsAnswerAreNotEarly()
    {
        int earlyTokens = 0, earlyAnswers = 0;
        using RpcServer server = Hand.Serve(out string name, RpcHandler.UnaryAsync(Hand.Ask, async number =>
        {
            RpcContext context = RpcContext.Current!;
            Deadline until = context.Deadline;
            using CancellationTokenRegistration fired = context.Cancellation.Register(() => Interlocked.Add(ref earlyTokens, until.HasPassed ? 0 : 1));
            await Task.Delay(Timeout.Infinite, context.Cancellation);
            return number;
        }));
        using var client = new RawClient(name);
        var until = new Deadline[Rounds * AtOnce];
        for (int first = 0; first < until.Length; first += AtOnce)
        {
            for (int i = first; i < first + AtOnce; i++)
            {
                until[i] = Soon(i);
                client.Send(Hand.Request(Hand.Ask, (ulong)i + 1, deadline: until[i].Nanoseconds), Hand.Bytes(1));
            }

            for (int i = 0; i < AtOnce; i++)
            {
                FrameHeader answer = client.Receive();
                earlyAnswers += until[answer.Call - 1].HasPassed ? 0 : 1;
                Assert.Equal((ushort)RpcStatus.DeadlineExceeded, answer.Code);
            }
        }

        Assert.Equal((0, 0), (earlyTokens, earlyAnswers));
    }

    /// <summary>It was taken back when there was still time to send it.</summary>
    [Fact]
    public async Task AOneWayRequestThatWaitsForRoomIsNotGivenUpEarly()
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { ToServerCapacity = 4096 });
        await Eventually.Ends(accepting);
        while (!client.Session.Channel!.HasQueued)
            _ = client.CallAsync(Hand.Ask, 1).AsTask();
        int early = 0;
        for (int round = 0; round < Rounds; round++)
            await Eventually.Ends(Task.WhenAll(Enumerable.Range(round * AtOnce, AtOnce).Select(NotifyAsync)));
        Assert.Equal(0, early);

        async Task NotifyAsync(int number)
        {
            Deadline until = Soon(number);
            RpcCallException e = await Assert.ThrowsAsync<RpcCallException>(() => client.WithDeadline(until).NotifyAsync(Hand.Tell, number, default).AsTask());
            Interlocked.Add(ref early, until.HasPassed ? 0 : 1);
            Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
        }
    }

    /// <summary>Its call failed with "did not answer", although it had time.</summary>
    [Fact]
    public void AServerThatDoesNotAnswerIsWaitedForUntilTheDeadline()
    {
        using RpcServer deaf = RpcServer.Open(TestServer.NewName());
        int early = 0;
        for (int i = 0; i < 100; i++)
        {
            using RpcClient client = RpcClient.Create(deaf.Name);
            Deadline until = Soon(i);
            RpcClient hurried = client.WithDeadline(until);
            RpcCallException e = Assert.Throws<RpcCallException>(() => hurried.Call(Hand.Ask, 1));
            early += until.HasPassed && e.Status == RpcStatus.DeadlineExceeded ? 0 : 1;
        }

        Assert.Equal(0, early);
    }
}
