using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Waiting for a record without holding a thread; see <see cref="AsyncWaitThread"/>.</summary>
public sealed unsafe partial class RingReader
{
    /// <summary>True as soon as there is something to read; then call <see cref="TryRead"/>. False when nothing ever
    /// will be: the writer has left and everything is read, or this end is disposed or stopped.</summary>
    /// <remarks>One at a time, and no other call of this end but Stop, Dispose and <see cref="RingEnd.Peer"/> until it
    /// is over. The continuation runs on the thread pool, or in the context that awaited it. Allocates nothing in
    /// steady state.</remarks>
    /// <exception cref="IpcException">PeerDied: the writer's process has died, and everything that it published has
    /// been read.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (!cancellationToken.IsCancellationRequested && LooksReadable())
            return new ValueTask<bool>(true);
        ReadWait wait = ReadWait.Rent(this);
        return new ValueTask<bool>(wait, wait.Begin(cancellationToken));
    }

    /// <summary>For a loop of another kind: signalled while something may be read, and when the writer has
    /// gone.</summary>
    public ReadyHandle GetReadyHandle() => new(WaitToReadAsync);

    private bool LooksReadable()
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

    /// <summary>All records as they come, until the writer has left and everything is read, or this end is disposed or
    /// stopped.</summary>
    /// <remarks>
    /// <para>What is handed out is a copy, in memory of the enumeration that is used again for the next item: it stays
    /// what it is when the writer changes its bytes, when this end is disposed, and across an <c>await</c>, until the
    /// next item is asked for. To read in place, without a copy, use <see cref="WaitToReadAsync"/> and
    /// <see cref="TryRead"/>.</para>
    /// <para>Asking for the next item releases the one before: it has been handled. When the loop is left otherwise
    /// (<c>break</c>, an exception, the end of this process) the last item is not released: it comes again to the next
    /// reader, marked, unless <see cref="Release"/> is called.</para>
    /// <para>One at a time, and no other call of this end but Stop, Dispose and <see cref="RingEnd.Peer"/> between two
    /// items. What follows an <c>await</c> runs on the thread pool, or in the context that awaited. Allocates one
    /// buffer, which grows to the longest record.</para>
    /// </remarks>
    /// <exception cref="IpcException">PeerDied: the writer's process has died, and everything that it published has
    /// been read.</exception>
    /// <exception cref="OperationCanceledException">Cancelled, while it waited.</exception>
    /// <exception cref="CorruptRegionException">The writer has written what is not a record.</exception>
    public IAsyncEnumerable<RingItem> ReadAllAsync(
        CancellationToken cancellationToken = default) => new RingItems(this).ReadAllAsync(cancellationToken);

    private sealed class ReadWait : OwnedWait<ReadWait, RingReader, AsyncDataCondition, bool>
    {
        public short Begin(CancellationToken cancellationToken)
        {
            Condition = new AsyncDataCondition(Owner);
            IRingLink link = Owner.Link;
            return link.WakesReader
                ? Begin(Owner.Control, Owner._data, Owner.View, Deadline.Never, cancellationToken)
                : Begin(Owner.Control, link.Doorbell, link.DoorbellView!, Deadline.Never, cancellationToken);
        }

        private protected override bool Finish(IpcStatus status)
        {
            if (status is not (IpcStatus.Ok or IpcStatus.Closed or IpcStatus.Stopped or IpcStatus.PeerClosed))
                Throw.Ended(status, Owner, nameof(WaitToReadAsync), Cancel);
            return status == IpcStatus.Ok;
        }
    }

    /// <summary>The condition of a thread inside the gate, for one that is not: it enters for each look, so that
    /// Dispose waits for no more than that. Where the writer's signals go to a doorbell, it is armed before each sleep,
    /// as the listener arms what it watches: then the next record rings.</summary>
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

        public readonly void BeforeSleep()
        {
            if (!_reader.Link.WakesReader)
            {
                _reader.Arm();
                return;
            }

            try
            {
                if (_reader.Enter())
                    _data.BeforeSleep();
            }
            finally
            {
                _reader.Leave();
            }
        }
    }
}
