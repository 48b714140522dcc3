using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Waiting for a message without holding a thread; see <see cref="AsyncWaitThread"/>.</summary>
public sealed unsafe partial class TopicReader
{
    /// <summary>True as soon as there is something to read, or this reader has been evicted; then call
    /// <see cref="TryRead"/>. False when nothing ever will be: this end is disposed or stopped. Writers may come and
    /// go.</summary>
    /// <remarks>One at a time, and no other call of this end but Stop, Dispose and the counts until it is over. The
    /// continuation runs on the thread pool, or in the context that awaited it. Allocates nothing in steady
    /// state.</remarks>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (!cancellationToken.IsCancellationRequested && LooksReadable())
            return new ValueTask<bool>(true);
        ReadWait wait = ReadWait.Rent(this);
        return new ValueTask<bool>(wait, wait.Begin(cancellationToken));
    }

    /// <summary>All messages as they come, until this end is disposed or stopped.</summary>
    /// <remarks>
    /// <para>What is handed out is a copy, in memory of the enumeration that is used again for the next item: it stays
    /// what it is across an <c>await</c>, until the next item is asked for. It was released, and was found whole,
    /// before it is handed out: no writer waits for who handles it. To read in place, without a copy, use
    /// <see cref="WaitToReadAsync"/> and <see cref="TryRead"/>.</para>
    /// <para>One at a time, and no other call of this end but Stop, Dispose and the counts between two items. What
    /// follows an <c>await</c> runs on the thread pool, or in the context that awaited. Allocates one buffer, which
    /// grows to the longest message.</para>
    /// </remarks>
    /// <exception cref="IpcException">Evicted: a writer has cut this reader off. <see cref="Rejoin"/>, and enumerate
    /// again.</exception>
    /// <exception cref="OperationCanceledException">Cancelled, while it waited.</exception>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    public IAsyncEnumerable<TopicItem> ReadAllAsync(
        CancellationToken cancellationToken = default) => new TopicItems(this).ReadAllAsync(cancellationToken);

    /// <summary>For a loop of another kind: signalled while something may be read, and when this reader has been
    /// evicted.</summary>
    public ReadyHandle GetReadyHandle() => new(WaitToReadAsync);

    private bool LooksReadable()
    {
        try
        {
            return Enter() && new DataCondition(this).IsTrue();
        }
        finally
        {
            Leave();
        }
    }

    private sealed class ReadWait : OwnedWait<ReadWait, TopicReader, AsyncDataCondition, bool>
    {
        public short Begin(CancellationToken cancellationToken)
        {
            Condition = new AsyncDataCondition(Owner);
            return Begin(Owner.Control, Owner._data, Owner.Region.View, Deadline.Never, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status is not (IpcStatus.Ok or IpcStatus.Closed or IpcStatus.Stopped))
                Throw.Ended(status, Owner, nameof(WaitToReadAsync), Cancel);
            return status == IpcStatus.Ok;
        }
    }

    /// <summary>The condition of a thread inside the gate, for one that is not: it enters for each look, so that
    /// Dispose waits for no more than that.</summary>
    private readonly struct AsyncDataCondition : IWaitCondition
    {
        private readonly TopicReader _reader;

        public AsyncDataCondition(TopicReader reader) => _reader = reader;

        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => _reader.LooksReadable();

        public IpcStatus PeerStatus() => new DataCondition(_reader).PeerStatus();

        public void BeforeSleep()
        {
        }
    }
}
