namespace Ipc.Testing.Images;

/// <summary>A queue's region. Positions count within a segment, from 0.</summary>
public sealed class QueueImage(byte[] bytes, int body, int segments, int segmentSize, int slots, int pool) : SlotImage(bytes, body, pool)
{
    public int SlotAt(int segment, int position) => segments + segment * segmentSize + position % slots * RegionImage.Stride;

    /// <summary>Puts the slot of this position into a state, with a message that is the pattern of its type.</summary>
    public QueueImage Put(int segment, int position, int phase, int type = 0, int owner = 0, int flags = 0, int length = 20)
    {
        ulong word = Wire.Slot.Word((uint)(position / slots), owner, flags, phase);
        WriteSlot(SlotAt(segment, position), word, type, phase == Wire.Slot.Free ? 0 : length, 0);
        return this;
    }

    /// <summary>Every slot of the segment free, as they are when the tail stands there; then <paramref name="head"/> and tail.</summary>
    public QueueImage Stand(int segment, int head, int tail, ulong next = 0)
    {
        for (int position = tail; position < tail + slots; position++)
            Put(segment, position, Wire.Slot.Free);
        int header = Body + Wire.Queue.SegmentHeaders + segment * Wire.Queue.SegmentHeader;
        U64(header + Wire.Queue.Tail, (ulong)tail);
        U64(header + Wire.Queue.Head, (ulong)head);
        U64(header + Wire.Queue.Next, next);
        return this;
    }

    public void Seal(int segment, int position) => U64(SlotAt(segment, position), U64(SlotAt(segment, position)) | (Wire.Slot.Sealed << 8));

    public QueueImage Lend(int segment, int position, int length)
    {
        LendTo(SlotAt(segment, position), length);
        return this;
    }
}
