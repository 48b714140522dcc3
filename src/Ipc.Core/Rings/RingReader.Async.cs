using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Waiting for a record without holding a thread; see <see cref="AsyncWaitThread"/>.</summary>
public sealed unsafe partial class RingReader
{
    /// <summary>True as soon as there is a record to read; then call <see cref="TryRead"/>. False when there will be
    /// none: the writer has left and everything is read, or this end is disposed or stopped.</summary>
    /// <remarks>One wait at a time. Until it completes, only Stop, Dispose and <see cref="RingEnd.Peer"/> of this end
    /// may be used. The continuation runs on the thread pool, or in the context that awaited it. It allocates nothing
    /// in steady state.</remarks>
    /// <exception cref="IpcException">PeerDied: the writer's process has died, and everything that it published has
    /// been read.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (!cancellationToken.IsCancellationRequested && LooksReadable())
            return new ValueTask<bool>(true);
        ReadWait wait = ReadWait.Rent(this);
        return new ValueTask<bool>(wait, wait.Begin(Deadline.Never, cancellationToken));
    }

    /// <summary>A handle for an event loop: signalled while there may be something to read, and when the writer has
    /// left or died.</summary>
    public ReadyHandle GetReadyHandle() => new(WaitToReadAsync);

    /// <summary>As <see cref="Wait(Deadline, CancellationToken)"/>, without holding a thread.</summary>
    internal ValueTask<IpcStatus> WaitAsync(Deadline deadline, CancellationToken cancellationToken)
    {
        if (!cancellationToken.IsCancellationRequested && LooksReadable())
            return new ValueTask<IpcStatus>(IpcStatus.Ok);
        StatusWait wait = StatusWait.Rent(this);
        return new ValueTask<IpcStatus>(wait, wait.Begin(deadline, cancellationToken));
    }

    internal bool LooksReadable()
    {
        try
        {
            return Enter() && SeesRecord();
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Enumerates the records as they arrive, until the writer has left and everything is read, or this end is
    /// disposed or stopped.</summary>
    /// <remarks>
    /// <para>Each item is a copy, in a buffer that the next item uses again. It stays valid and unchanged until the
    /// next item is requested: across an <c>await</c>, when the writer changes its bytes, and when this end is
    /// disposed. To read in place, without a copy, use <see cref="WaitToReadAsync"/> and <see cref="TryRead"/>.</para>
    /// <para>Requesting the next item releases the one before. When the loop ends otherwise (<c>break</c>, an
    /// exception, the end of this process), the last item is not released: it is delivered again to the next reader,
    /// with a flag, unless <see cref="Release"/> is called.</para>
    /// <para>One enumeration at a time. Between two items only Stop, Dispose and <see cref="RingEnd.Peer"/> of this end
    /// may be used. Continuations run on the thread pool, or in the context that awaited. It allocates one buffer,
    /// which grows to the longest record.</para>
    /// </remarks>
    /// <exception cref="IpcException">PeerDied: the writer's process has died, and everything that it published has
    /// been read.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="CorruptRegionException">The writer has written an invalid record.</exception>
    public IAsyncEnumerable<RingItem> ReadAllAsync(
        CancellationToken cancellationToken = default) => new RingItems(this).ReadAllAsync(cancellationToken);

    private abstract class DataWait<TSelf, TResult> : OwnedWait<TSelf, RingReader, AsyncDataCondition, TResult>
        where TSelf : DataWait<TSelf, TResult>, new()
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Condition = new AsyncDataCondition(Owner);
            IRingLink link = Owner.Link;
            return link.WakesReader
                ? Begin(Owner.Control, Owner._data, Owner.View, deadline, cancellationToken)
                : Begin(Owner.Control, link.Doorbell, link.DoorbellView!, deadline, cancellationToken);
        }
    }

    private sealed class StatusWait : DataWait<StatusWait, IpcStatus>
    {
        private protected override IpcStatus Finish(IpcStatus status) => status;
    }

    private sealed class ReadWait : DataWait<ReadWait, bool>
    {
        private protected override bool Finish(IpcStatus status)
        {
            if (status is not (IpcStatus.Ok or IpcStatus.Closed or IpcStatus.Stopped or IpcStatus.PeerClosed))
                Throw.Ended(status, Owner, nameof(WaitToReadAsync), Cancel);
            return status == IpcStatus.Ok;
        }
    }

    /// <summary>The condition of a thread inside the gate, for one that is not: it enters for each look, so that
    /// Dispose waits for no more than that.</summary>
    private struct AsyncDataCondition : IWaitCondition
    {
        private readonly RingReader _reader;
        private readonly DataCondition _data;

        public AsyncDataCondition(RingReader reader)
        {
            _reader = reader;
            _data = new DataCondition(reader);
        }

        public readonly ulong LongestSleep => ulong.MaxValue;

        public readonly bool IsTrue() => _reader.LooksReadable();

        public readonly IpcStatus PeerStatus() => _reader.PeerStatusFromOutside();

        public readonly bool BeforeSleep()
        {
            try
            {
                return !_reader.Enter() || _data.BeforeSleep();
            }
            finally
            {
                _reader.Leave();
            }
        }
    }
}
