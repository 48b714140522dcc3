using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Waiting for a server, and calling again: only where nothing can be done twice by it.</summary>
public sealed class RetryTests
{
    private static readonly TimeSpan _watchdog = TimeSpan.FromSeconds(60);
    private static int _number;

    private readonly string _name = "retry-" + Environment.ProcessId + "-" + Interlocked.Increment(ref _number);

    [Fact]
    public async Task ACallWaitsForItsServer()
    {
        using RpcClient client = RpcClient.Create(_name, new RpcClientOptions { WaitForReady = true });
        ITasks tasks = client.For<ITasks>();
        Task<int> blocked = Task.Run(() => tasks.Add("a"), Cancel);
        Task<int> awaited = tasks.ValueAsync("ab", Cancel);
        Task<int> upload = tasks.UploadAsync("abc", OwnServer.Items("d"), Cancel);
        Task told = tasks.TellAsync("x", Cancel);
        Assert.False(blocked.IsCompleted || awaited.IsCompleted || upload.IsCompleted || told.IsCompleted, "answered by nobody");
        using RpcServer server = RpcServer.Start(_name, TasksRpc.Service(new Tasks()));
        Assert.Equal((1, 2, 4), (await blocked.WaitAsync(_watchdog), await awaited.WaitAsync(_watchdog), await upload.WaitAsync(_watchdog)));
        await told.WaitAsync(_watchdog);
    }

    [Fact]
    public async Task WaitingEndsWithTheDeadlineTheTokenOrTheClient()
    {
        using RpcClient client = RpcClient.Create(_name, new RpcClientOptions { WaitForReady = true });
        ITasks brief = client.WithTimeout(TimeSpan.FromMilliseconds(20)).For<ITasks>();
        Assert.Equal(RpcStatus.DeadlineExceeded, Assert.Throws<RpcCallException>(() => brief.Add("a")).Status);
        Assert.Equal(RpcStatus.DeadlineExceeded, (await Assert.ThrowsAsync<RpcCallException>(() => brief.ValueAsync("a", Cancel))).Status);

        using var cancel = new CancellationTokenSource();
        Task<int> cancelled = client.For<ITasks>().ValueAsync("a", cancel.Token);
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(_watchdog));

        Task<int> closed = client.For<ITasks>().ValueAsync("a", Cancel);
        Task<int> blocked = Task.Run(() => client.For<ITasks>().Add("a"), Cancel);
        client.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => closed.WaitAsync(_watchdog));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => blocked.WaitAsync(_watchdog));
    }

    /// <summary>A server that has the client's request to connect, and does not answer it: nothing was sent over that.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task WaitingEndsWithTheClientAlsoWhileItAsksAServer(bool blocks)
    {
        using Listener silent = Listener.Open(_name);
        using RpcClient waiting = RpcClient.Create(_name, new RpcClientOptions { WaitForReady = true, ConnectTimeout = Timeout.InfiniteTimeSpan });
        using RpcClient plain = RpcClient.Create(_name, new RpcClientOptions { ConnectTimeout = Timeout.InfiniteTimeSpan });
        Task<int> Begin(RpcClient client) => blocks ? Task.Run(() => client.For<ITasks>().Add("a"), Cancel) : client.For<ITasks>().ValueAsync("a", Cancel);
        Task<int> asking = Begin(waiting), other = Begin(plain);
        for (int i = 0; i < 2; i++)
            Assert.Equal(IpcStatus.Ok, silent.Next(out _, Deadline.After(_watchdog)));
        waiting.Dispose();
        plain.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => asking.WaitAsync(_watchdog));
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => other.WaitAsync(_watchdog));
        Assert.Equal((RpcStatus.Unavailable, true), (failure.Status, failure.IsUnsent));
    }

    [Fact]
    public void WithoutTheOptionACallFailsAtOnceAndSaysThatItWasNotSent()
    {
        using RpcClient client = RpcClient.Create(_name);
        RpcCallException failure = Assert.Throws<RpcCallException>(() => client.For<ITasks>().Add("a"));
        Assert.Equal((RpcStatus.Unavailable, true), (failure.Status, failure.IsUnsent));
    }

    /// <summary>Nothing was sent, so nothing can be done twice.</summary>
    [Fact]
    public async Task WhatWasNotSentIsMadeAgainWhateverTheMethod()
    {
        using RpcClient client = RpcClient.Create(_name, Retrying(int.MaxValue));
        Task<int> awaited = client.For<ITasks>().ValueAsync("ab", Cancel);
        Task<int> blocked = Task.Run(() => client.For<ITasks>().Add("abc"), Cancel);
        using RpcServer server = RpcServer.Start(_name, TasksRpc.Service(new Tasks()));
        Assert.Equal((2, 3), (await awaited.WaitAsync(_watchdog), await blocked.WaitAsync(_watchdog)));
    }

    [Fact]
    public async Task WhatAHandlerRefusedIsMadeAgainOnlyIfThatIsHarmless()
    {
        var served = new Tasks();
        using RpcServer server = RpcServer.Start(_name, TasksRpc.Service(served));
        using RpcClient client = RpcClient.Connect(_name, Retrying(3));
        ITasks tasks = client.For<ITasks>();

        served.Fail(2);
        Assert.Equal((4, 3), (tasks.Read("read"), served.Calls)); // marked: the third attempt succeeds
        served.Fail(2);
        Assert.Equal((5, 6), (await tasks.ReadTwiceAsync("twice"), served.Calls));

        served.Fail(1);
        RpcCallException failure = Assert.Throws<RpcCallException>(() => tasks.Add("add"));
        Assert.Equal((RpcStatus.Unavailable, false, 7), (failure.Status, failure.IsUnsent, served.Calls));
        served.Fail(1);
        await Assert.ThrowsAsync<RpcCallException>(() => tasks.ValueAsync("value", Cancel));
        Assert.Equal(8, served.Calls);

        served.Fail(3);
        Assert.Throws<RpcCallException>(() => tasks.Read("read"));
        Assert.Equal(11, served.Calls); // three attempts, no more
    }

    [Fact]
    public void OtherStatusesAndDeadlinesEndIt()
    {
        var served = new Tasks();
        using RpcServer server = RpcServer.Start(_name, TasksRpc.Service(served));
        RpcClientOptions other = Retrying(3);
        other.Retry!.On.Clear();
        other.Retry.On.Add(RpcStatus.Aborted);
        using (RpcClient client = RpcClient.Connect(_name, other))
        {
            served.Fail(1);
            Assert.Throws<RpcCallException>(() => client.For<ITasks>().Read("a"));
            Assert.Equal(1, served.Calls);
        }

        RpcClientOptions slow = Retrying(3);
        slow.Retry!.FirstPause = slow.Retry.LongestPause = TimeSpan.FromHours(1);
        slow.CallTimeout = TimeSpan.FromMinutes(5); // shorter than the pause: there is no point in waiting
        using RpcClient hurried = RpcClient.Connect(_name, slow);
        served.Fail(1);
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => hurried.For<ITasks>().Read("a")).Status);
        Assert.Equal(2, served.Calls);
    }

    [Fact]
    public void APolicyThatMeansNothingIsRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => RpcClient.Create(_name, Retrying(0)));
        RpcClientOptions pauses = Retrying(2);
        pauses.Retry!.FirstPause = TimeSpan.FromSeconds(3);
        Assert.Throws<ArgumentOutOfRangeException>(() => RpcClient.Create(_name, pauses));
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private static RpcClientOptions Retrying(int attempts)
        => new() { Retry = new RpcRetryPolicy { Attempts = attempts, FirstPause = TimeSpan.FromMilliseconds(1), LongestPause = TimeSpan.FromMilliseconds(1) } };
}
