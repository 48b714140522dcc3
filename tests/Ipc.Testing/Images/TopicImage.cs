namespace Ipc.Testing.Images;

/// <summary>A topic's region. Positions start at the number of slots.</summary>
public sealed class TopicImage(byte[] bytes, int body, int at, int slots, int pool, int readers) : SlotImage(bytes, body, pool)
{
    public int SlotAt(int position) => at + position % slots * RegionImage.Stride;

    public TopicImage Put(int position, int phase, int type = 0, int owner = 1, int flags = 0, ulong key = 0)
    {
        ulong word = Wire.Slot.Word((uint)(position / slots), phase == Wire.Slot.Gap ? 0 : owner, flags, phase);
        WriteSlot(SlotAt(position), word, type, phase == Wire.Slot.Gap ? 0 : 20, key);
        return this;
    }

    public TopicImage Lend(int position, int length)
    {
        LendTo(SlotAt(position), length);
        return this;
    }

    /// <summary>A reader's entry and its bit.</summary>
    public TopicImage Read(int index, uint state, uint policy, ulong cursor, ulong joined)
    {
        int entry = readers + index * Wire.Topic.ReaderEntry;
        this[entry + Wire.Topic.ReaderState] = state;
        this[entry + Wire.Topic.ReaderPolicy] = policy;
        U64(entry + Wire.Topic.ReaderCursor, cursor);
        U64(entry + Wire.Topic.ReaderJoined, joined);
        int word = Body + Wire.Topic.Active + index / 64 * 8;
        U64(word, U64(word) | 1UL << (index % 64));
        return this;
    }
}
