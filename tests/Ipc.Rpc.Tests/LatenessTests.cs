using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A deadline passes while the thread that has the turn to read does not read.</summary>
[Collection(nameof(Alone))]
public sealed class LatenessTests : IDisposable
{
    private const ulong FirstCall = (1UL << 32) | 1; // the first use of the first slot

    private readonly TimeSpan _grace = Lateness.Grace;
    private readonly TimeSpan _graceWhileAway = Lateness.GraceWhileAway;
    private readonly RawServer _server = new();
    private readonly RpcClient _client;

    public LatenessTests()
    {
        Task accepting = _server.AcceptAside();
        _client = RpcClient.Connect(_server.Name);
        Assert.True(accepting.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
    }

    private ClientChannel Channel => _client.Session.Channel!;

    public void Dispose()
    {
        Lateness.Grace = _grace;
        Lateness.GraceWhileAway = _graceWhileAway;
        _client.Dispose();
        _server.Dispose();
    }

    /// <summary>The timer, and a caller that waited for the turn, ended a call whose reply lay in the ring when another thread had the turn and had not come to read it.</summary>
    [Theory]
    [InlineData("asynchronous")]
    [InlineData("synchronous")]
    public async Task AReplyThatIsThereIsNotOverdueBecauseAnotherThreadHasTheTurn(string kind)
    {
        Lateness.Grace = Eventually.Watchdog;
        Assert.True(Channel.Turn.TryTake()); // this thread's, which reads nothing
        _server.Send(new FrameHeader(FrameKind.Response, FirstCall), RawClient.Varint(1, 7)); // before the request, so certainly in time
        Task<int> call = Call(kind);
        Eventually.True(() => call.IsCompleted || Channel.Engine.SparedCalls > 0, "somebody looks at the call after its deadline");
        Channel.LeaveTurn();
        Assert.Equal(7, await Eventually.Ends(call));
        Assert.Equal(FirstCall, _server.Receive().Call);
    }

    [Theory]
    [InlineData("asynchronous")]
    [InlineData("synchronous")]
    public async Task ADeadlineEndsACallEvenIfAnotherThreadHasTheTurnAndDoesNotRead(string kind)
    {
        Assert.True(Channel.Turn.TryTake());
        _server.Send(new FrameHeader(FrameKind.Response, FirstCall + 1), RawClient.Varint(1, 7)); // anybody's
        Task<int> call = Call(kind);
        Eventually.True(() => call.IsCompleted, "the call ends");
        Assert.True(Channel.Engine.SparedCalls > 0);
        Channel.LeaveTurn();
        Assert.Equal(RpcStatus.DeadlineExceeded, (await Eventually.Fails(call)).Status);
    }

    /// <summary>Nobody waits long for a handler.</summary>
    [Theory]
    [InlineData("asynchronous")]
    [InlineData("synchronous")]
    public async Task ADeadlineEndsACallEvenIfTheThreadThatReadsIsInAHandler(string kind)
    {
        Lateness.Grace = Eventually.Watchdog * 2;
        using var begun = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var options = new RpcClientOptions();
        options.Services.Add(Hand.Service(RpcHandler.Unary(Hand.Ask, (number, _) =>
        {
            begun.Set();
            release.Wait(CancellationToken.None);
            return number;
        }).Inline()));
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, options);
        await Eventually.Ends(accepting);
        server.Send(Hand.Request(Hand.Ask, 1, flags: FrameFlags.Callback), Hand.Bytes(1));
        Assert.True(begun.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken)); // by the thread that reads
        server.Send(new FrameHeader(FrameKind.Response, FirstCall + 1), RawClient.Varint(1, 7)); // anybody's
        Task<int> call = Call(kind, client);
        Eventually.True(() => call.IsCompleted, "the call ends");
        Assert.True(client.Session.Channel!.Engine.SparedCalls > 0);
        release.Set();
        Assert.Equal(RpcStatus.DeadlineExceeded, (await Eventually.Fails(call)).Status);
    }

    /// <summary>With nothing in the ring, nobody is waited for.</summary>
    [Theory]
    [InlineData("asynchronous")]
    [InlineData("synchronous")]
    public async Task ADeadlineEndsACallAtOnceWhenTheRingIsEmpty(string kind)
    {
        Lateness.Grace = Eventually.Watchdog * 2;
        Assert.True(Channel.Turn.TryTake());
        Task<int> call = Call(kind);
        Eventually.True(() => call.IsCompleted, "the call ends");
        Assert.Equal(0, Channel.Engine.SparedCalls);
        Channel.LeaveTurn();
        Assert.Equal(RpcStatus.DeadlineExceeded, (await Eventually.Fails(call)).Status);
    }

    private Task<int> Call(string kind) => Call(kind, _client);

    private static Task<int> Call(string kind, RpcClient client)
    {
        RpcCaller caller = client.WithTimeout(TimeSpan.FromMilliseconds(100));
        return kind == "asynchronous"
            ? caller.CallAsync(Shapes.Fail, 1).AsTask()
            : Task.Factory.StartNew(() => caller.Call(Shapes.Fail, 1), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }
}
