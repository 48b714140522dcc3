using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

#pragma warning disable CA2012 // a call that nobody awaits is what is needed

namespace Ipc.Rpc.Tests;

/// <summary>A server writes frames for other calls without end, faster than they are read: whoever reads for itself never finds the ring empty.</summary>
[Collection(nameof(Alone))]
public sealed class FloodTests : IDisposable
{
    private const ulong OthersCall = (1UL << 32) | 1; // the first use of the first slot
    private const ulong OwnCall = (1UL << 32) | 2;
    private static readonly TimeSpan _brief = TimeSpan.FromMilliseconds(100);

    /// <summary>A report that takes longer to be read than to be written.</summary>
    private static readonly MessageCodec<int> _slow = new(
        "Slow",
        static (ref ProtoWriter writer, in int value) => writer.WriteInt32(1u << 3, value),
        static (ref ProtoReader reader) =>
        {
            Thread.SpinWait(500);
            return Hand.Number.Read(ref reader);
        });

    private static readonly RpcProgressMethod<int, int, int> _work = new(Hand.Name, "Work", Hand.Number, Hand.Number, _slow);

    private readonly TimeSpan _grace = Lateness.Grace;
    private readonly RawServer _server = new();
    private readonly RpcClient _client;
    private readonly ValueTask<int> _other; // nobody waits for it, so nobody reads but whom the test makes read
    private Thread? _flood;
    private bool _over;

    public FloodTests()
    {
        Task accepting = _server.AcceptAside();
        _client = RpcClient.Connect(_server.Name);
        Assert.True(accepting.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
        _other = _client.CallAsync(_work, 1, new Progress<int>(), CancellationToken.None);
        Assert.Equal(OthersCall, _server.Receive().Call);
    }

    public void Dispose()
    {
        Lateness.Grace = _grace;
        Volatile.Write(ref _over, true);
        _flood?.Join();
        _client.Dispose();
        _ = _other;
        _server.Dispose();
    }

    [Fact]
    public async Task ItKeepsNoCallPastItsDeadline()
    {
        Begin();
        RpcCallException e = await Eventually.Fails(Task.Run(() => _client.WithTimeout(_brief).Call(Hand.Ask, 1), TestContext.Current.CancellationToken));
        Assert.Equal(RpcStatus.DeadlineExceeded, e.Status);
    }

    [Fact]
    public async Task ItKeepsNoCallThatIsCancelled()
    {
        Begin();
        using var cancel = new CancellationTokenSource(_brief);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Eventually.Ends(Task.Run(() => _client.Call(Hand.Ask, 1, cancel.Token), TestContext.Current.CancellationToken)));
    }

    /// <summary>The deadline is looked at among the frames of others, and behind these the reply is there.</summary>
    [Fact]
    public async Task AReplyThatLiesBehindThemIsTaken()
    {
        const int Others = 2000;
        Lateness.Grace = Eventually.Watchdog;
        for (int i = 0; i < Others; i++)
            _server.Send(Report, Hand.Bytes(i));
        _server.Send(new FrameHeader(FrameKind.Response, OwnCall), Hand.Bytes(7)); // before the request, so certainly in time
        int answer = await Eventually.Ends(Task.Run(() => _client.WithTimeout(TimeSpan.FromMilliseconds(1)).Call(Hand.Ask, 1), TestContext.Current.CancellationToken));
        Assert.Equal(7, answer);
        Assert.True(_client.Session.Channel!.Engine.SparedCalls > 0, "the deadline was not looked at on the way");
    }

    /// <summary>A thread that begins to await, or asks whether a call is over, reads for a moment and no longer.</summary>
    [Fact]
    public async Task ItKeepsNoThreadThatAsksForACall()
    {
        Begin();
        ValueTask<int> call = _client.CallAsync(Hand.Ask, 1);
        await Eventually.Ends(Task.Run(
            () =>
            {
                for (int i = 0; i < 20; i++) // more than it is skipped after one that was of no use
                    Assert.False(call.IsCompleted);
            },
            TestContext.Current.CancellationToken));
        _client.Dispose();
        Assert.Equal(RpcStatus.Unavailable, (await Eventually.Fails(call.AsTask())).Status);
    }

    private static FrameHeader Report => new(FrameKind.Progress, OthersCall);

    private void Begin()
    {
        var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _flood = new Thread(() =>
        {
            var frame = new byte[FrameHeader.Size + Hand.Bytes(1).Length];
            Report.WriteTo(frame);
            Hand.Bytes(1).CopyTo(frame, FrameHeader.Size);
            while (!Volatile.Read(ref _over))
            {
                if (_server.Connection.Writer.TryWrite(frame, FrameHeader.RecordType))
                    continue;
                full.TrySetResult();
                IpcStatus status = _server.Connection.Writer.Write(frame, FrameHeader.RecordType, Deadline.After(TimeSpan.FromMilliseconds(50)));
                if (status is not (IpcStatus.Ok or IpcStatus.Timeout))
                    return; // the client has gone
            }
        });
        _flood.Start();
        Assert.True(full.Task.Wait(Eventually.Watchdog, TestContext.Current.CancellationToken));
    }
}
