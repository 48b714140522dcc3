using System;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Whether a call is made again, decided once.</summary>
public sealed class RetryStateTests
{
    /// <summary>The deadline passed between the decision and the pause: that asked again, found that nothing was to be waited for, and looked for a policy that there was none
    /// of. What waits for its server ends with its deadline whenever that passes: the wait says so.</summary>
    [Fact]
    public void ADeadlineThatPassesBehindTheDecisionChangesNothing()
    {
        var options = new RpcClientOptions { WaitForReady = true };
        var state = new RetryState(options, CallSetup.Default.WithTimeout(TimeSpan.FromMilliseconds(200)));
        var failure = new RpcFailure(RpcStatus.Unavailable, "nobody is there", isUnsent: true);
        var thrown = (RpcCallException)failure.ToException(CancellationToken.None, null, "the server");
        Assert.True(state.GoesOn(thrown, isIdempotent: false, isOver: false));
        Eventually.True(() => state.Deadline.HasPassed, "the deadline passes");
        Assert.Equal(TimeSpan.Zero, state.Pause(0.5));
        Assert.True(state.WaitsForServer);
        Assert.True(state.GoesOn(thrown, isIdempotent: false, isOver: false));
        Assert.True(state.WaitsForServer);
    }

    /// <summary>A server may take everybody and handle nothing: the first look comes at once, and then one every tenth of a second.</summary>
    [Fact]
    public void ACallThatWaitsForItsServerLooksForItWithPauses()
    {
        var state = new RetryState(new RpcClientOptions { WaitForReady = true }, CallSetup.Default);
        var failure = (RpcCallException)RpcFailure.Unhandled("the server").ToException(CancellationToken.None, null, "the server");
        int[] pauses = new int[8];
        for (int i = 0; i < pauses.Length; i++)
        {
            Assert.True(state.GoesOn(failure, isIdempotent: false, isOver: false));
            pauses[i] = (int)state.Pause(0.5).TotalMilliseconds;
        }

        Assert.Equal([0, 5, 10, 20, 40, 80, 100, 100], pauses);
    }

    /// <summary>The last attempt found no server: one before it may have been handled.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ACallIsUnsentIfAllItsAttemptsWere(bool wasUnsent)
    {
        var state = new RetryState(new RpcClientOptions { Retry = new RpcRetryPolicy { Attempts = 2, FirstPause = TimeSpan.FromTicks(10) } }, CallSetup.Default);
        RpcCallException Fails(bool isUnsent) => (RpcCallException)new RpcFailure(RpcStatus.Unavailable, "gone", isUnsent: isUnsent).ToException(CancellationToken.None, null, "the server");
        Assert.True(state.GoesOn(Fails(wasUnsent), isIdempotent: true, isOver: false));
        Assert.NotEqual(TimeSpan.Zero, state.Pause(0.5));
        RpcCallException last = Fails(true);
        Assert.False(state.GoesOn(last, isIdempotent: true, isOver: false));
        Assert.Equal(wasUnsent, last.IsUnsent);
    }
}
