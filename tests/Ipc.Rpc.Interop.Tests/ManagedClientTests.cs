using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>A C# client calls a C++ server.</summary>
public sealed class ManagedClientTests : IDisposable
{
    private readonly string _name = Repository.NewName();
    private readonly OtherProcess _server;
    private readonly RpcClient _client;
    private readonly ITests _tests;

    public ManagedClientTests()
    {
        _server = Peer.Native("serve", _name).WaitUntilReady();
        _client = RpcClient.Connect(_name);
        _tests = TestsRpc.Client(_client);
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
    }

    [Fact]
    public async Task EchoesOfEverySizeComeBack()
    {
        Assert.Equal(_server.Id, _client.ServerProcessId);
        for (int size = 0; size < 5000; size += 13)
        {
            byte[] data = Pattern.Of(size, size);
            Assert.Equal(data, _tests.Echo(new Blob { Data = data }).Data);
            Assert.Equal(data, (await _tests.EchoAsync(new Blob { Data = data })).Data);
        }
    }

    /// <summary>A server in C++ does not know of calls that are executed once: it must not execute one as if it were another call.</summary>
    [Fact]
    public void ACallThatIsToBeExecutedOnceIsRefused()
    {
        RpcMethod<Blob, Blob> echo = TestsRpc.Echo;
        var once = new RpcMethod<Blob, Blob>(echo.Service, echo.Name, echo.Kind, echo.Request, echo.Response, isOnce: true);
        RpcCallException e = Assert.Throws<RpcCallException>(() => _client.Call(once, new Blob { Data = [1] }));
        Assert.Equal(RpcStatus.Unimplemented, e.Status);
        Assert.Equal([1], _tests.Echo(new Blob { Data = [1] }).Data);
    }

    /// <summary>Both messages are longer than the rings: they travel as loans, written by one language and read in place by the other.</summary>
    [Theory]
    [InlineData(1 << 20)]
    [InlineData(2 << 20)]
    [InlineData(100_000_000)]
    public async Task LongEchoesComeBack(int size)
    {
        byte[] data = Pattern.Of(size, size);
        Assert.True(AreSame(data, _tests.Echo(new Blob { Data = data }).Data));
        Assert.True(AreSame(data, (await _tests.EchoAsync(new Blob { Data = data })).Data));
    }

    [Theory]
    [InlineData(1 << 20, 20)]
    [InlineData(100_000_000, 3)]
    public async Task LongItemsOfAStreamArriveWhole(int size, int count)
    {
        int number = 0;
        await foreach (Blob item in _tests.Count(new CountRequest { Count = count, Size = size }))
            Assert.True(AreSame(Pattern.Of(number++, size), item.Data), $"item {number - 1}");
        Assert.Equal(count, number);
    }

    [Fact]
    public async Task CallsThatRunAtOnceGetTheirOwnReplies()
    {
        Blob[] replies = await Task.WhenAll(Enumerable.Range(0, 500).Select(i => _tests.EchoAsync(new Blob { Data = Pattern.Of(i, 100) })))
            .WaitAsync(Repository.Watchdog);
        for (int i = 0; i < replies.Length; i++)
            Assert.Equal(Pattern.Of(i, 100), replies[i].Data);
    }

    [Fact]
    public void EveryStatusArrivesWithItsText()
    {
        for (int status = 1; status <= 16; status++)
        {
            RpcCallException failure = Assert.Throws<RpcCallException>(() => _tests.Fail(new FailRequest { Status = status, Text = $"ä {status}" }));
            Assert.Equal((RpcStatus)status, failure.Status);
            Assert.Contains($"ä {status}", failure.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void AnUnknownMethodIsToldWhatThereIs()
    {
        var missing = new RpcMethod<Blob, Blob>("tests.v1", "Missing", RpcMethodKind.Unary, TestsRpc.Echo.Request, TestsRpc.Echo.Response);
        RpcCallException failure = Assert.Throws<RpcCallException>(() => _client.Call(missing, new Blob()));
        Assert.Equal(RpcStatus.Unimplemented, failure.Status);
        Assert.Matches(@"has no such method\. It has .*tests\.v1: .*\bEcho\b", failure.Message);
    }

    [Fact]
    public void AResponseThatDoesNotFitIsRefusedWithBothSizes()
    {
        string name = Repository.NewName();
        using OtherProcess server = Peer.Native("serve", name).WaitUntilReady();
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { ToServerCapacity = 1 << 20, ToClientCapacity = 16384, LoanBudget = 0 });
        RpcCallException failure = Assert.Throws<RpcCallException>(() => TestsRpc.Client(client).Echo(new Blob { Data = new byte[20_000] }));
        Assert.Equal(RpcStatus.ResourceExhausted, failure.Status);
        Assert.Contains("20004", failure.Message, StringComparison.Ordinal);
        Assert.Contains("8160", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ADeadlineAndACancelEndACall()
    {
        ITests hurried = TestsRpc.Client(_client.WithTimeout(TimeSpan.FromMilliseconds(20)));
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => hurried.SleepAsync(new SleepRequest { Ms = 600_000 }));
        Assert.Equal(RpcStatus.DeadlineExceeded, failure.Status);

        using var cancel = new CancellationTokenSource();
        Task<Blob> pending = _tests.SleepAsync(new SleepRequest { Ms = 600_000 }, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending.WaitAsync(Repository.Watchdog));
        Assert.Empty(_tests.Echo(new Blob()).Data);
    }

    [Fact]
    public async Task AStreamComesInOrderAndMayBeLeft()
    {
        int number = 0;
        await foreach (Blob item in _tests.Count(new CountRequest { Count = 3000, Size = 40 }))
            Assert.Equal(Pattern.Of(number++, 40), item.Data);
        Assert.Equal(3000, number);

        await foreach (Blob item in _tests.Count(new CountRequest { Count = int.MaxValue, Size = 10 }))
        {
            Assert.Equal(Pattern.Of(0, 10), item.Data);
            break;
        }
        Assert.Empty(_tests.Echo(new Blob()).Data);
    }

    [Fact]
    public async Task TheServersDeathEndsWhatIsPendingAndTheNextServerIsFound()
    {
        Task<Blob> call = _tests.SleepAsync(new SleepRequest { Ms = 600_000 });
        await using IAsyncEnumerator<Blob> stream = _tests.Count(new CountRequest { Count = int.MaxValue, Size = 10 }).GetAsyncEnumerator();
        Assert.True(await stream.MoveNextAsync());
        _server.Kill();
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => call.WaitAsync(Repository.Watchdog));
        Assert.Equal(RpcStatus.Unavailable, failure.Status);
        failure = await Assert.ThrowsAsync<RpcCallException>(async () =>
        {
            while (await stream.MoveNextAsync().AsTask().WaitAsync(Repository.Watchdog))
            {
            }
        });
        Assert.Equal(RpcStatus.Unavailable, failure.Status);

        using OtherProcess next = Peer.Native("serve", _name).WaitUntilReady();
        Assert.Equal([1, 2], (await _tests.EchoAsync(new Blob { Data = [1, 2] })).Data);
        Assert.Equal(next.Id, _client.ServerProcessId);
    }

    /// <summary>Without the time that a comparison item by item takes.</summary>
    private static bool AreSame(byte[] expected, byte[] actual) => expected.AsSpan().SequenceEqual(actual);
}
