using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Waiting for a message without holding a thread; see <see cref="AsyncWaitThread"/>.</summary>
public sealed unsafe partial class TopicReader
{
    /// <summary>True as soon as there is a message to read, or this reader was evicted; then call
    /// <see cref="TryRead"/>. False when this end is disposed or stopped. It goes on waiting when writers
    /// leave.</summary>
    /// <remarks>One wait at a time. Until it completes, only Stop, Dispose and the counters of this end may be used.
    /// The continuation runs on the thread pool, or in the context that awaited it. It allocates nothing in steady
    /// state.</remarks>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (!cancellationToken.IsCancellationRequested && LooksReadable())
            return new ValueTask<bool>(true);
        ReadWait wait = ReadWait.Rent(this);
        return new ValueTask<bool>(wait, wait.Begin(cancellationToken));
    }

    /// <summary>Enumerates the messages as they arrive, until this end is disposed or stopped.</summary>
    /// <remarks>
    /// <para>Each item is a copy, in a buffer that the next item uses again. It stays valid across an <c>await</c>,
    /// until the next item is requested. The message itself is released before its copy is returned, so no writer waits
    /// for its handling. To read in place, without a copy, use <see cref="WaitToReadAsync"/> and
    /// <see cref="TryRead"/>.</para>
    /// <para>One enumeration at a time. Between two items only Stop, Dispose and the counters of this end may be used.
    /// Continuations run on the thread pool, or in the context that awaited. It allocates one buffer, which grows to
    /// the longest message.</para>
    /// </remarks>
    /// <exception cref="IpcException">Evicted: a writer has evicted this reader. Call <see cref="Rejoin"/> and
    /// enumerate again.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    public IAsyncEnumerable<TopicItem> ReadAllAsync(
        CancellationToken cancellationToken = default) => new TopicItems(this).ReadAllAsync(cancellationToken);

    /// <summary>A handle for an event loop: signalled while there may be a message to read, and when this reader was
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

        public bool BeforeSleep() => true;
    }
}
