namespace Ipc;

/// <summary>One attachment to a queue, with all that belongs to it: its memory, its waits, its sending and receiving
/// side.</summary>
internal sealed unsafe class QueuePlace
{
    private const int CopyTimeoutMilliseconds = 1000, ClaimTimeoutMilliseconds = 10;

    private readonly bool _isSingleThreaded; // promised
    // who is dropped without Dispose keeps its memory: nobody counts what is handed out
    private bool _mayHaveSpanOut = true;

    public QueuePlace(Region region, QueueEntrance entrance, bool isSingleThreaded, WaitStyle style)
    {
        uint slots = entrance.Geometry.SlotCount;
        _isSingleThreaded = isSingleThreaded;
        Segments = new QueueSegments(region, entrance.Geometry, entrance.Pool);
        QueueHeader* header = Segments.Header;
        ulong* shown = &region.Entry(region.Index)->Spin;
        Attachment = new Attachment(
            region, new WaitControl(style, &header->Data, &header->Space, &region.Header->Change, shown: shown));
        Waits = new QueueWaits(Attachment, isSingleThreaded);
        Sender = new QueueSender(Segments, Attachment, Waits, new StreamLag(style, slots));
        Receiver = new QueueReceiver(Segments, Attachment, Waits, new StreamLag(style, slots));
        region.View.AddHolder(() => _mayHaveSpanOut);
        Os.Current.Touch(Segments.Slots, Segments.Geometry.SegmentStride); // others when they are linked
    }

    public Region Region => Segments.Region;

    public QueueSegments Segments { get; }

    public Attachment Attachment { get; }

    public QueueWaits Waits { get; }

    public QueueSender Sender { get; }

    public QueueReceiver Receiver { get; }

    public WaitControl Control => Attachment.Control;

    /// <summary>Leaves, once; the caller keeps this object alive.</summary>
    public void Close()
    {
        Sender.Close(); // a full barrier each: see SharedQueue
        Receiver.Close();
        Control.End(IpcStatus.Closed);
        if (!_isSingleThreaded)
            WaitForSends();
        _mayHaveSpanOut = Segments.HoldsSlots();
        Attachment.Leave();
        Region.View.LeaveToCollector((long)(Segments.Geometry.SegmentsOffset + Segments.Geometry.SegmentStride));
    }

    private void WaitForSends()
    {
        bool fenced = Atomic.TryFenceProcess();
        Deadline copies = Deadline.FromMilliseconds(CopyTimeoutMilliseconds);
        Deadline claims = Deadline.FromMilliseconds(ClaimTimeoutMilliseconds);
        for (int attempt = 0;
            Segments.IsWriting(out bool marked) && !(marked || !fenced ? copies : claims).HasPassed;
            attempt++)
        {
            ClosePause.Take(attempt);
        }
    }
}
