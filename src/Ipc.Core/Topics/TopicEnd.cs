using System;
using System.Threading;

namespace Ipc;

/// <summary>The common base of writers and readers of a topic.</summary>
/// <remarks>
/// <para>One thread at a time may use a writer or reader; any thread may call <see cref="Stop"/>, <see cref="Resume"/>,
/// the counts and Dispose.</para>
/// <para>A call that is under way while another thread disposes is let finish (<see cref="CallGate"/>). A thread that
/// holds a span is outside but not done: then the memory is left to the garbage collector instead of being
/// unmapped.</para>
/// <para>After Dispose the contents of spans are undefined, but their memory stays valid if it was not released or
/// committed before. A writer or reader that is garbage collected without Dispose while a span is in use keeps its
/// memory until the process ends.</para>
/// </remarks>
public abstract unsafe class TopicEnd : IDisposable
{
    private readonly TopicEntrance _entrance;
    private readonly Attachment _place;
    private CallGate _gate;
    private int _disposed;

    private protected TopicEnd(Region region, TopicEntrance entrance, TopicOptions options)
    {
        Region = region;
        _entrance = entrance;
        Geometry = entrance.Geometry;
        Header = (TopicHeader*)region.Body;
        Index = region.Index;
        WaitStyle style = WaitStyle.Of(options.WaitMode, options.SpinLimit);
        Lag = new StreamLag(style, Geometry.SlotCount);
        region.View.AddHolder(() => HasSpanOut);
        Os.Current.Touch(region.Base + Geometry.SlotsOffset, Geometry.SlotsEnd - Geometry.SlotsOffset);
        ulong* shown = &region.Entry(Index)->Spin;
        Control = new WaitControl(style, &Header->Data, &Header->Space, &region.Header->Change, shown: shown);
        _place = new Attachment(region, Control);
    }

    /// <summary>Payload bytes of a block; longer messages are loans.</summary>
    public int BlockSize => (int)Geometry.BlockSize;

    /// <summary>How many messages the topic holds.</summary>
    public int BlockCount => (int)Geometry.SlotCount;

    /// <summary>Whether the name still leads to this topic. It does not after the topic was removed or replaced. It
    /// checks the directory once.</summary>
    public bool IsFindable => Os.Current.LeadsTo(Region.Path, Region.File!);

    /// <summary>The number of this writer or reader in the topic.</summary>
    public int Index { get; }

    /// <summary>How many readers are attached and not cut off. For any thread; 0 when this object is closed.</summary>
    public int ReaderCount => GetInfo().Readers;

    /// <summary>How many writers are attached. For any thread; 0 when this object is closed.</summary>
    public int WriterCount => GetInfo().Writers;

    /// <summary>Raised when a participant attaches, leaves or dies, and first for those that are already attached.
    /// Handlers run on a background thread of this object, which starts with the first subscriber; their exceptions are
    /// traced.</summary>
    public event EventHandler<ParticipantChangedEventArgs> ParticipantChanged
    {
        add => _place.Subscribe(this, value);
        remove => _place.Unsubscribe(value);
    }

    internal Region Region { get; }

    private protected StreamLag Lag { get; }

    internal WaitControl Control { get; }

    private protected TopicGeometry Geometry { get; }

    private protected TopicHeader* Header { get; }

    private protected TopicEntrance Entrance => _entrance;

    /// <summary>For messages longer than a block; null: there is none.</summary>
    private protected Pool? Pool => _entrance.Pool;

    /// <summary>This end holds a span that its user may still touch.</summary>
    private protected abstract bool HasSpanOut { get; }

    /// <summary>A look at the topic. Any thread; zeros when this end is closed.</summary>
    public TopicInfo GetInfo()
    {
        TopicInfo info =
            new() { BlockSize = BlockSize, BlockCount = BlockCount, MaxReaders = (int)Geometry.MaxReaders };
        info.MaxWriters = Geometry.MaxWriters;
        if (!Region.View.TryUse())
            return info;
        try
        {
            info.Readers = CountReaders();
            info.Tail = (long)Atomic.LoadAcquire(ref Header->Tail);
            info.Evictions = (long)Atomic.LoadAcquire(ref Header->Evictions);
            info.Writers = TopicKind.Count(Region, ParticipantRole.Writer, out _);
            if (Pool is { } pool)
            {
                info.LoanBudget = (long)pool.Geometry.Budget;
                info.LoansPresent = (long)pool.PresentBytes();
                info.LoansExhausted = (long)pool.Exhausted;
            }

            AddTo(info);
            return info;
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>Who is there now, this end included. Any thread; nobody when this end is closed.</summary>
    public ParticipantInfo[] GetParticipants() => _place.GetParticipants();

    /// <summary>All waits of this end return <see cref="IpcStatus.Stopped"/>, now and until resumed; what needs no
    /// waiting still works.</summary>
    public void Stop() => _place.Stop();

    /// <summary>Waits work again.</summary>
    public void Resume() => Control.Resume();

    /// <summary>Leaves the topic. Waits of other threads return <see cref="IpcStatus.Closed"/> first. An open claim is
    /// given back; a reader holds nobody up any more. Later calls do nothing: they return Closed. Any thread.</summary>
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;

        TopicMetrics.Remove(this);
        bool quiet = _gate.Close(Control) && !HasSpanOut;
        if (HasSpanOut)
            Region.View.AddHolder(static () => true); // though it is given back now
        BeforeLeaving();
        _place.Leave();
        if (quiet)
            Region.View.Dispose();
        else
            Region.View.LeaveToCollector((long)Geometry.SlotsEnd);
    }

    /// <summary>Readers that are attached and not cut off; the caller keeps the memory mapped.</summary>
    private protected int CountReaders()
    {
        int count = 0;
        for (int index = NextReader(0); index >= 0; index = NextReader(index + 1))
        {
            if (TopicReaderEntry.PhaseOf(Atomic.LoadAcquire(ref Seat(index)->State)) == TopicReaderEntry.Active)
                count++;
        }

        return count;
    }

    private protected int NextReader(int from) => ReaderBits.Next(Header->Active, from, Geometry.Participants);

    private protected TopicReaderEntry* Seat(int index) =>
        (TopicReaderEntry*)(Region.Base + Geometry.ReadersOffset) + index;

    /// <summary>Sees to it that the death of every other participant is noticed. Cheap while nobody comes or
    /// goes.</summary>
    private protected void Attend() => _place.Attend();

    /// <summary>Begins a call; false when this end is closed. Leave in either case.</summary>
    private protected bool Enter() => _gate.Enter();

    private protected void Leave() => _gate.Leave();

    private protected virtual void BeforeLeaving()
    {
    }

    private protected abstract void AddTo(TopicInfo info);

    private protected void Corrupted(string what) =>
        Throw.Corrupt(
            $"Topic {Region.Path} holds {what}. A participant is faulty or hostile: end it and make a new topic.");

    private protected static Region OpenRegion(
        string name, TopicEntrance entrance, TopicOptions options, CancellationToken cancellationToken)
    {
        Check(name, options);
        return Region.Open(name, entrance, options.OpenMode, Deadline.After(options.OpenTimeout), cancellationToken);
    }

    private protected static Region? TryOpenRegion(
        string name, TopicEntrance entrance, TopicOptions options, CancellationToken cancellationToken)
    {
        Check(name, options);
        return Region.TryOpen(name, entrance, Deadline.After(options.OpenTimeout), cancellationToken);
    }

    private static void Check(string name, TopicOptions options)
    {
        RegionName.Check(name);
        _ = TopicGeometry.New(options);
        _ = WaitStyle.Of(options.WaitMode, options.SpinLimit);
    }
}
