using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Nothing that a deadline ends is ended before it, by the clock in which deadlines are. The timers of .NET fire some milliseconds early now and then.</summary>
public sealed class EarlyTimerTests
{
    private const int Rounds = 60, AtOnce = 10;

    /// <summary>At a broker that is not there, so that each of them waits.</summary>
    [Theory]
    [InlineData("call")]
    [InlineData("stream")]
    [InlineData("connecting")]
    public async Task WhatWaitsIsNotGivenUpEarly(string what)
    {
        CancellationToken cancel = TestContext.Current.CancellationToken;
        await using RabbitMqClient client = RabbitMqClient.Create("amqp://guest:guest@127.0.0.1:1/%2F/nobody", new RabbitMqClientOptions { WaitForReady = true });
        await Assert.ThrowsAsync<RpcCallException>(() => client.EnsureConnectedAsync(TimeSpan.Zero, cancel).WaitAsync(Watchdog.Patience, cancel)); // the first attempt is over
        int early = 0;
        for (int round = 0; round < Rounds; round++)
            await Task.WhenAll(Enumerable.Range(round * AtOnce, AtOnce).Select(WaitAsync));
        Assert.Equal(0, early);

        async Task WaitAsync(int number)
        {
            Deadline until = Deadline.After(TimeSpan.FromTicks(20_000 + (number * 7_919 % 60_000)));
            RabbitMqCaller hurried = client.Caller.WithDeadline(until);
            RpcCallException e = await Assert.ThrowsAsync<RpcCallException>(() => (what switch
            {
                "call" => hurried.For<IFarm>().DoAsync(number, cancel).AsTask(),
                "stream" => hurried.For<ITap>().Run(1, "wait", cancel).ToListAsync(cancel).AsTask(),
                _ => client.EnsureConnectedAsync(until.Remaining, cancel),
            }).WaitAsync(Watchdog.Patience, cancel));
            Interlocked.Add(ref early, until.HasPassed ? 0 : 1);
            Assert.Equal(what == "connecting" ? RpcStatus.Unavailable : RpcStatus.DeadlineExceeded, e.Status);
        }
    }
}
