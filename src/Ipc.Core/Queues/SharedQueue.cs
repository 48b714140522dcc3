using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>A queue between any number of processes: each message is received by exactly one of them, as long as no
/// process dies.</summary>
/// <remarks>
/// <para>Any number of threads may use one object at once. No message needs an allocation. When a process dies, a
/// message that it had not sent leaves no trace, and a message that it had received but not released is delivered
/// again, with a flag. A process that is only slow or stopped does not delay the messages of others.</para>
/// <para>The queue is a ring of slots, and the 64-bit word in each slot is the only truth about it
/// (docs/wire-format.md sections 8 and 9): a sender takes the slot at the tail by a CAS from Free to Writing, fills it,
/// and makes it Ready <c>[ready-slot]</c>; a receiver takes it by a CAS to Reading <c>[take]</c>, and when it has done
/// makes it Free for the next lap <c>[free-slot]</c>. Tail and head are hints that everybody helps along. The owner
/// stands in the word, so the living can clean up for the dead; and the lap, so whoever comes late changes nothing.
/// </para>
/// <para>A thread may be inside a call while another disposes the object, and what it is about to do would then be
/// done in the name of a participant that has left. So whoever has taken a slot looks at <c>_closed</c> afterwards, and
/// gives it back if it is set; Dispose sets it before it looks at the slots. The CAS and Dispose's fence are full
/// barriers: one of the two sees the other. The memory cannot be unmapped under such a thread either: it is left to the
/// garbage collector, and every call keeps this object alive to its end.
/// </para>
/// <para>A slot that is given back while somebody still copies into it would spoil the message of whoever has it next.
/// So a call that copies marks its slot, before it looks at <c>_closed</c>, and Dispose, after a barrier in every
/// thread of the process, waits until no slot of ours is marked. Claims in the hands of the user get a few
/// milliseconds, should their commit be under way; after that they are undone.
/// </para>
/// <para>After Dispose the contents of spans are undefined, but their memory stays valid if it was not released or
/// committed before. A queue that is garbage collected without Dispose keeps its memory until the process ends.</para>
/// </remarks>
public sealed unsafe partial class SharedQueue : IDisposable
{
    private readonly object _sync = new(); // reconnecting, subscribing and closing
    private readonly QueueOptions _options;
    private readonly WaitStyle _style;
    private QueueSender _sender;     // of the place
    private QueueReceiver _receiver; // of the place
    private QueuePlace _place;
    private EventHandler<ParticipantChangedEventArgs>? _subscribers;
    private int _closed;

    private SharedQueue(Region region, QueueEntrance entrance, QueueOptions options, WaitStyle style)
    {
        _options = options.Copy();
        _style = style;
        _place = new QueuePlace(region, entrance, options.SingleThreaded, style);
        _sender = _place.Sender;
        _receiver = _place.Receiver;
        QueueMetrics.Add(this);
    }

    /// <summary>Payload bytes of a block: messages up to this length are stored in the queue itself, longer ones in
    /// loans.</summary>
    public int BlockSize => (int)_place.Segments.Geometry.BlockSize;

    /// <summary>The longest message.</summary>
    public int MaxPayload => _place.Segments.MaxPayload;

    /// <summary>Whether the name still leads to this queue. It does not after the queue was removed or replaced (see
    /// <see cref="Reconnect"/>). It checks the directory once.</summary>
    public bool IsFindable => Os.Current.LeadsTo(_place.Region.Path, _place.Region.File!);

    /// <summary>Raised when a participant attaches, leaves or dies, and first for those that are already attached.
    /// Handlers run on a background thread of this object, which starts with the first subscriber; their exceptions are
    /// traced.</summary>
    public event EventHandler<ParticipantChangedEventArgs> ParticipantChanged
    {
        add
        {
            lock (_sync)
            {
                _subscribers += value;
                _place.Attachment.Subscribe(this, value);
            }
        }

        remove
        {
            lock (_sync)
            {
                _subscribers -= value;
                _place.Attachment.Unsubscribe(value);
            }
        }
    }

    internal string Name => _place.Region.Name;

    /// <summary>Opens the queue <paramref name="name"/>, or creates it.</summary>
    /// <exception cref="IpcException">It cannot be opened; see <see cref="IpcException.Status"/>. TableFull: all places
    /// for participants are taken.</exception>
    public static SharedQueue Open(
        string name, QueueOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new QueueOptions();
        QueueEntrance entrance = Entrance(name, options, out WaitStyle style);
        return new SharedQueue(
            Region.Open(name, entrance, options.OpenMode, Deadline.After(options.OpenTimeout), cancellationToken),
            entrance,
            options,
            style);
    }

    /// <summary>Opens the queue <paramref name="name"/> if it exists; never creates it, whatever the options say. The
    /// options say how long to wait for it.</summary>
    /// <returns>False if there is none.</returns>
    /// <exception cref="IpcException">It exists but cannot be opened; see
    /// <see cref="IpcException.Status"/>.</exception>
    public static bool TryOpen(
        string name,
        [NotNullWhen(true)] out SharedQueue? queue,
        QueueOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new QueueOptions();
        QueueEntrance entrance = Entrance(name, options, out WaitStyle style);
        Region? region = Region.TryOpen(name, entrance, Deadline.After(options.OpenTimeout), cancellationToken);
        queue = region is null ? null : new SharedQueue(region, entrance, options, style);
        return queue is not null;
    }

    private static QueueEntrance Entrance(string name, QueueOptions options, out WaitStyle style)
    {
        RegionName.Check(name);
        style = WaitStyle.Of(options.WaitMode, options.SpinLimit);
        return new QueueEntrance(options);
    }

    /// <summary>Leaves this queue and opens, or creates, the one that has its name now, with the original options. Use
    /// it when the queue was removed (see <see cref="IsFindable"/>).</summary>
    /// <remarks>Waiting calls of other threads end as by <see cref="Stop"/>. Open claims and unreleased messages of the
    /// old queue end as by <see cref="Dispose"/>. Subscribers of <see cref="ParticipantChanged"/> get the participants
    /// of the new queue. It may be called on any thread.</remarks>
    /// <exception cref="IpcException">As from <see cref="Open"/>; this object keeps the old queue.</exception>
    /// <exception cref="ObjectDisposedException">The queue is disposed.</exception>
    public void Reconnect(CancellationToken cancellationToken = default)
    {
        lock (_sync)
        {
            if (Atomic.LoadAcquire(ref _closed) != 0)
                Throw.Disposed(this);
            QueueEntrance entrance = new(_options);
            OpenMode mode = _options.OpenMode == OpenMode.CreateNew ? OpenMode.OpenOrCreate : _options.OpenMode;
            Region region = Region.Open(
                Name, entrance, mode, Deadline.After(_options.OpenTimeout), cancellationToken);
            QueuePlace left = _place;
            QueuePlace place = new(region, entrance, _options.SingleThreaded, _style);
            _place = place;
            _sender = place.Sender;
            _receiver = place.Receiver;
            foreach (Delegate subscriber in _subscribers?.GetInvocationList() ?? [])
                place.Attachment.Subscribe(this, (EventHandler<ParticipantChangedEventArgs>)subscriber);
            if (left.Control.IsStopped)
                place.Attachment.Stop();
            left.Close();
            GC.KeepAlive(left);
        }
    }

    /// <summary>Claims room for <paramref name="length"/> bytes, in place. Commit or abandon it: until then it is not
    /// visible, and later messages of this object wait for it.</summary>
    /// <returns>False when the queue is full, there is no memory for a long message now, or the queue is closed. Never
    /// blocks.</returns>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>; nothing has changed.</exception>
    [MethodImpl(Tiering.Inlined)]
    public bool TryClaim(int length, out QueueClaim claim) => _sender.TryClaim(length, out claim);

    /// <summary>Claims, waiting for room if there is none. See <see cref="TryClaim"/>.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Claim(
        int length, out QueueClaim claim, Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_sender.Claim(length, out claim, deadline, cancellationToken));

    /// <summary>Claims, waiting for room no longer than <paramref name="timeout"/>. It reads the clock only if it has
    /// to wait. See <see cref="Claim(int, out QueueClaim, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Claim(
        int length, out QueueClaim claim, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryClaim(length, out claim)
            ? IpcStatus.Ok
            : Claim(length, out claim, Deadline.After(timeout), cancellationToken);
    }

    /// <summary>Claim, copy, commit. False when the queue is full or closed.</summary>
    /// <exception cref="IpcException">TooLarge.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TrySend(ReadOnlySpan<byte> payload, ushort type = 0) => _sender.TrySend(payload, type);

    /// <summary>Claim (waiting for room), copy, commit. See
    /// <see cref="Claim(int, out QueueClaim, Deadline, CancellationToken)"/> for the results.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public IpcStatus Send(
        ReadOnlySpan<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_sender.Send(payload, type, deadline, cancellationToken));

    /// <summary>Receives the next message, in place. Release it. Several messages may be held at once, by any
    /// threads.</summary>
    /// <returns>False when there is none, or this object is closed. Never blocks.</returns>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    [MethodImpl(Tiering.Inlined)]
    public bool TryReceive(out QueueMessage message) => _receiver.TryReceive(out message);

    /// <summary>Receives the next message, waiting for it if there is none. See <see cref="TryReceive"/>.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    /// <exception cref="CorruptRegionException">A participant has written an invalid message.</exception>
    public IpcStatus Receive(
        out QueueMessage message, Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_receiver.Receive(out message, deadline, cancellationToken));

    /// <summary>Receives the next message, waiting for it no longer than <paramref name="timeout"/>. It reads the clock
    /// only if it has to wait. See <see cref="Receive(out QueueMessage, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Receive(
        out QueueMessage message, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryReceive(out message)
            ? IpcStatus.Ok
            : Receive(out message, Deadline.After(timeout), cancellationToken);
    }

    /// <summary>Waits until a message can be received (Ok), without receiving it. Another receiver may get it
    /// first.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_receiver.Wait(deadline, cancellationToken));

    /// <summary>Waits until a message can be received (Ok), no longer than <paramref name="timeout"/>. It reads the
    /// clock only if it has to wait. See <see cref="Wait(Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public IpcStatus Wait(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = Wait(Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout ? Wait(Deadline.After(timeout), cancellationToken) : status;
    }

    /// <summary>All waits of this object return <see cref="IpcStatus.Stopped"/>, now and until <see cref="Resume"/>.
    /// Calls that need not wait still work.</summary>
    public void Stop() => _place.Attachment.Stop();

    /// <summary>Lets waits work again after <see cref="Stop"/>.</summary>
    public void Resume() => _place.Attachment.Resume();

    /// <summary>Gives the memory of unused loans back to the system.</summary>
    public void TrimLoans()
    {
        QueuePlace place = _place;
        if (place.Segments.Pool is { } pool && Atomic.LoadAcquire(ref _closed) == 0)
        {
            pool.Trim(place.Segments.Owner);
            Waiter.Signal(&place.Segments.Header->Space); // who waits for a loan
        }

        GC.KeepAlive(place);
    }

    /// <summary>The participants that have the queue open now, including this object; none when it is closed.</summary>
    public ParticipantInfo[] GetParticipants() => _place.Attachment.GetParticipants();

    /// <summary>The sizes and counters of the queue. It also works after Dispose.</summary>
    public QueueInfo GetInfo()
    {
        QueuePlace place = _place;
        QueueSegments segments = place.Segments;
        QueueHeader* header = segments.Header;
        Pool? pool = segments.Pool;
        QueueInfo info = new()
        {
            BlockSize = (int)segments.Geometry.BlockSize,
            BlockCount = (int)segments.Geometry.SlotCount,
            Segments = (int)segments.Present,
            SegmentLimit = (int)segments.Limit,
            Participants = ParticipantInfo.AllOf(segments.Region).Length,
            ParticipantCapacity = segments.Region.Geometry.ParticipantCapacity,
            Depth = segments.Depth,
            Redelivered = (long)Atomic.LoadAcquire(ref header->Redelivered),
            Dropped = (long)Atomic.LoadAcquire(ref header->Dropped),
            GrowthFailures = (int)Atomic.LoadAcquire(ref header->GrowthFailures),
            LoanBudget = pool is null ? 0 : (long)pool.Geometry.Budget,
            LoansPresent = pool is null ? 0 : (long)pool.PresentBytes(),
            LoansExhausted = pool is null ? 0 : (long)pool.Exhausted,
        };
        GC.KeepAlive(place);
        return info;
    }

    /// <summary>Leaves the queue. Waits of other threads return <see cref="IpcStatus.Closed"/>. Open claims are undone,
    /// and unreleased messages are delivered again, with a flag; do not use their spans any more. Later calls have no
    /// effect, and waits return Closed. It may be called on any thread.</summary>
    public void Dispose()
    {
        if (Atomic.Exchange(ref _closed, 1) != 0)
            return;
        QueueMetrics.Remove(this);
        lock (_sync)
        {
            _place.Close();
            GC.KeepAlive(_place);
        }
    }

    /// <summary>What a wait says whose place was closed under it: this object may live on, elsewhere.</summary>
    private IpcStatus Told(IpcStatus status) =>
        status == IpcStatus.Closed && Atomic.LoadAcquire(ref _closed) == 0 ? IpcStatus.Stopped : status;
}
