using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>What the binding adds to the library: errors with words, cancellation, and closing under a call that waits.</summary>
public sealed class BindingTests
{
    private static NativeDeadline Soon => NativeDeadline.After(TimeSpan.FromSeconds(30));

    [Fact]
    public void AnErrorHasTheLibrarysWords()
    {
        NativeException error = Assert.Throws<NativeException>(() => NativeRingReader.Open("not / a name"));
        Assert.Equal(NativeStatus.InvalidName, error.Status);
        Assert.Contains("not / a name", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ANameWithAZeroIsRefusedBeforeCSeesHalfOfIt()
        => Assert.Throws<ArgumentException>(static () => NativeRingReader.Open("half\0name"));

    [Fact]
    public void AConnectToNobodySaysSo()
        => Assert.Equal(NativeStatus.NotFound, Assert.Throws<NativeException>(static () => NativeConnection.Connect(RegionName.Of())).Status);

    [Fact]
    public void WithoutADeadlineNothingWaits()
    {
        using NativeQueue queue = NativeQueue.Open(RegionName.Of());
        Assert.Equal(NativeStatus.Timeout, queue.Receive(out _));
    }

    [Fact]
    public async Task ATokenEndsAWait()
    {
        using NativeQueue queue = NativeQueue.Open(RegionName.Of());
        using var source = new CancellationTokenSource();
        Task<NativeStatus> wait = OnAThread(() => queue.Receive(out _, Soon, source.Token));
        await source.CancelAsync();
        Assert.Equal(NativeStatus.Cancelled, await wait.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task DisposingEndsAWaitAndThenRefusesCalls()
    {
        NativeRingReader reader = NativeRingReader.Open(RegionName.Of());
        Task<NativeStatus> wait = OnAThread(() =>
        {
            try
            {
                return reader.Read(out _, Soon);
            }
            catch (ObjectDisposedException)
            {
                return NativeStatus.Closed; // it had not come in yet
            }
        });
        reader.Dispose();
        Assert.Equal(NativeStatus.Closed, await wait.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
        Assert.Throws<ObjectDisposedException>(() => reader.Release());
        reader.Dispose();
    }

    [Fact]
    public void AClaimThatIsAbandonedLeavesNoTrace()
    {
        string name = RegionName.Of();
        using NativeRingWriter writer = NativeRingWriter.Open(name);
        using NativeRingReader reader = NativeRingReader.Open(name);
        Assert.Equal(NativeStatus.Ok, writer.Claim(16, out Span<byte> payload));
        Assert.Equal(16, payload.Length);
        writer.Abandon();
        Assert.Equal(NativeStatus.Empty, reader.TryRead(out _));
        Assert.Equal(NativeStatus.InvalidState, Assert.Throws<NativeException>(() => writer.Commit(16)).Status);
    }

    /// <summary>The library would put memory that it has freed into its list of connections.</summary>
    [Fact]
    public async Task AConnectionThatIsDisposedOfCannotBeReturned()
    {
        string name = RegionName.Of();
        using NativeListener listener = NativeListener.Open(name);
        Task<NativeConnection> connecting = Task.Factory.StartNew(() => NativeConnection.Connect(name, new NativeConnectOptions { Deadline = Soon }), TaskCreationOptions.LongRunning);
        Assert.Equal(NativeStatus.Ok, listener.Next(out _, out NativeConnection? lent, Soon));
        lent!.Accept();
        using NativeConnection client = await connecting.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        lent.Dispose();
        Assert.Throws<ObjectDisposedException>(() => listener.Return(lent));
        Assert.Throws<ObjectDisposedException>(() => lent.Reader.TryRead(out _));
        Assert.Throws<ObjectDisposedException>(() => lent.Writer.Claim(8, out _));
        Assert.Equal(NativeStatus.Timeout, listener.Next(out _, out _, NativeDeadline.After(TimeSpan.FromMilliseconds(1))));
    }

    [Fact]
    public void ClearingRemovesWhatIsPersistent()
    {
        string name = RegionName.Of();
        NativeQueue.Open(name, new NativeQueueOptions { Lifetime = NativeLifetime.Persistent }).Dispose();
        IpcNative.Clear(name);
        Assert.Equal(NativeStatus.NotFound, Assert.Throws<NativeException>(() => IpcNative.Clear(name)).Status);
    }

    private static Task<NativeStatus> OnAThread(Func<NativeStatus> call) => Task.Factory.StartNew(call, TaskCreationOptions.LongRunning);
}
