using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>A queue between any number of processes: each message is received by one of them, and by one only while
/// nobody dies.</summary>
/// <remarks>
/// <para>Any thread may use one object, any number at a time. Nothing is allocated per message. What a process holds
/// when it dies, unsent or unreleased, is undone: an unsent message was never there, an unreleased one comes again,
/// flagged. A process that is merely slow, or stopped, holds up nobody else's messages.</para>
/// <para>
/// The queue is a ring of slots, and the 64-bit word in each slot is the only truth about it (docs/wire-format.md
/// sections 8 and 9): a sender takes the slot at the tail by a CAS from Free to Writing, fills it, and makes it Ready
/// <c>[ready-slot]</c>; a receiver takes it by a CAS to Reading <c>[take]</c>, and when it has done makes it Free for
/// the next lap <c>[free-slot]</c>. Tail and head are hints that everybody helps along. The owner stands in the word,
/// so the living can clean up for the dead; and the lap, so whoever comes late changes nothing.
/// </para>
/// <para>
/// A thread may be inside a call while another disposes the object, and what it is about to do would then be done in
/// the name of a participant that has left. So whoever has taken a slot looks at <c>_closed</c> afterwards, and gives
/// it back if it is set; Dispose sets it before it looks at the slots. The CAS and Dispose's fence are full barriers:
/// one of the two sees the other. The memory cannot be unmapped under such a thread either: it is left to the garbage
/// collector, and every call keeps this object alive to its end.
/// </para>
/// <para>
/// A slot that is given back while somebody still copies into it would spoil the message of whoever has it next. So a
/// call that copies marks its slot, before it looks at <c>_closed</c>, and Dispose, after a barrier in every thread of
/// the process, waits until no slot of ours is marked. Claims in the hands of the user get a few milliseconds, should
/// their commit be under way; after that they are undone.
/// </para>
/// <para>Dispose ends every span: what one reads afterwards means nothing, but its memory never becomes invalid as long
/// as it was not released or committed before. A queue that is dropped without Dispose keeps its memory until the
/// process ends.</para>
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

    /// <summary>Payload bytes of a block: messages up to this length travel in the queue itself, longer ones as
    /// loans.</summary>
    public int BlockSize => (int)_place.Segments.Geometry.BlockSize;

    /// <summary>The longest message.</summary>
    public int MaxPayload => _place.Segments.MaxPayload;

    /// <summary>Whether who opens the name finds this very queue: not after somebody has removed it, or made another in
    /// its place (<see cref="Reconnect"/>). One look at the directory.</summary>
    public bool IsFindable => Os.Current.LeadsTo(_place.Region.Path, _place.Region.File!);

    /// <summary>A participant attached, left or died. Raised on a background thread of this object, which exists once
    /// somebody has subscribed and sleeps otherwise; it begins with those who are there. What a handler throws is
    /// traced and goes no further.</summary>
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
    /// <exception cref="IpcException">Why not; see <see cref="IpcException.Status"/>. TableFull: all places for
    /// participants are taken.</exception>
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

    /// <summary>Opens the queue <paramref name="name"/> if there is one, and creates none, whatever the options
    /// say. They say how long to wait for one.</summary>
    /// <returns>False: there is none.</returns>
    /// <exception cref="IpcException">There is one, and it cannot be opened; see
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

    /// <summary>Leaves this queue and attaches to the one that has its name now, or makes it, as it was opened: for who
    /// finds that somebody has removed it (<see cref="IsFindable"/>), as after a restart of everything.</summary>
    /// <remarks>Calls of other threads that wait meanwhile end as by <see cref="Stop"/>. What they hold of the queue
    /// that is left, claims and messages, ends as by <see cref="Dispose"/>: it is undone, or comes again there.
    /// Subscribers of <see cref="ParticipantChanged"/> are told of those who are in the other queue. Any
    /// thread.</remarks>
    /// <exception cref="IpcException">As from <see cref="Open"/>; this object stays where it is.</exception>
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

    /// <summary>Claims room for <paramref name="length"/> bytes, in place. Commit or abandon it: until then nothing of
    /// it is to be seen, and the order of this object's later messages waits for it.</summary>
    /// <returns>False when the queue is full (or no memory is to be had for a long message now), or closed. Never
    /// blocks.</returns>
    /// <exception cref="IpcException">TooLarge: more than <see cref="MaxPayload"/>; nothing has changed.</exception>
    [MethodImpl(Tiering.Inlined)]
    public bool TryClaim(int length, out QueueClaim claim) => _sender.TryClaim(length, out claim);

    /// <summary>Claims, waiting for room if there is none. See <see cref="TryClaim"/>.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Claim(
        int length, out QueueClaim claim, Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_sender.Claim(length, out claim, deadline, cancellationToken));

    /// <summary>Claim, copy, commit. False when the queue is full or closed.</summary>
    /// <exception cref="IpcException">TooLarge.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TrySend(ReadOnlySpan<byte> payload, ushort type = 0) => _sender.TrySend(payload, type);

    /// <summary>Claim (waiting for room), copy, commit. See <see cref="Claim"/> for the results.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public IpcStatus Send(
        ReadOnlySpan<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_sender.Send(payload, type, deadline, cancellationToken));

    /// <summary>The next message, in place. Release it. Several may be held at a time, by any threads.</summary>
    /// <returns>False when there is none, or this object is closed. Never blocks.</returns>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    [MethodImpl(Tiering.Inlined)]
    public bool TryReceive(out QueueMessage message) => _receiver.TryReceive(out message);

    /// <summary>The next message, waiting for it if there is none. See <see cref="TryReceive"/>.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    /// <exception cref="CorruptRegionException">A participant has written what is not a message.</exception>
    public IpcStatus Receive(
        out QueueMessage message, Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_receiver.Receive(out message, deadline, cancellationToken));

    /// <summary>Waits until something can be received (Ok), without taking it: another receiver may be
    /// faster.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed.</returns>
    public IpcStatus Wait(Deadline deadline, CancellationToken cancellationToken = default) =>
        Told(_receiver.Wait(deadline, cancellationToken));

    /// <summary>All waits of this object return <see cref="IpcStatus.Stopped"/>, now and until resumed; what needs no
    /// waiting still works.</summary>
    public void Stop() => _place.Attachment.Stop();

    /// <summary>Waits work again.</summary>
    public void Resume() => _place.Attachment.Resume();

    /// <summary>Gives the memory of loans that are not in use back to the system.</summary>
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

    /// <summary>Who has the queue open now, this object included; none when it is closed.</summary>
    public ParticipantInfo[] GetParticipants() => _place.Attachment.GetParticipants();

    /// <summary>What the queue is and has been through. Also after Dispose.</summary>
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

    /// <summary>Leaves. Waits of other threads return <see cref="IpcStatus.Closed"/>. Claims that are open are undone,
    /// messages that are not released become available again, flagged; their spans must not be used any more. Later
    /// calls do nothing: nothing is sent or received, waits return Closed. Any thread.</summary>
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
