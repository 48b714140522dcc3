using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A message of a topic on its way to other machines.</summary>
/// <param name="Key">As it was published.</param>
/// <param name="Type">As it was published.</param>
/// <param name="Lost">How many between the one before and this one have not been read.</param>
/// <param name="Payload">The message.</param>
internal readonly record struct TopicBatchItem(ulong Key, ushort Type, long Lost, byte[] Payload);

/// <summary>Messages of a topic that go in one message of the broker, because they were there at the same
/// time.</summary>
internal static class TopicBatch
{
    private const int MostItems = 65_536; // what is taken of a peer
    private const uint Item = (1 << 3) | 2, Key = 1 << 3, Type = 2 << 3, Lost = 3 << 3, Payload = (4 << 3) | 2;

    /// <summary><c>repeated Item items = 1</c>, an item being
    /// <c>{ uint64 key = 1; uint32 type = 2; uint64 lost = 3; bytes payload = 4; }</c>.</summary>
    public static readonly MessageCodec<IReadOnlyList<TopicBatchItem>> Codec = new(
        "TopicBatch",
        static (ref ProtoWriter writer, in IReadOnlyList<TopicBatchItem> items) =>
        {
            foreach (TopicBatchItem item in items)
            {
                int start = writer.StartMessage(Item);
                if (item.Key != 0)
                    writer.WriteUInt64(Key, item.Key);
                if (item.Type != 0)
                    writer.WriteUInt32(Type, item.Type);
                if (item.Lost != 0)
                    writer.WriteUInt64(Lost, (ulong)item.Lost);
                writer.WriteBytes(Payload, item.Payload);
                writer.EndMessage(start);
            }
        },
        static (ref ProtoReader reader) =>
        {
            List<TopicBatchItem> items = [];
            while (reader.TryReadTag(out uint tag))
            {
                if (tag != Item)
                    reader.SkipField(tag);
                else if (items.Count < MostItems)
                    items.Add(Read(ref reader));
                else
                    throw new ProtoException(
                        ProtoError.InvalidValue, reader.Position, "More than " + MostItems + " messages");
            }

            return items;
        });

    /// <exception cref="ProtoException">It is no such message.</exception>
    public static IReadOnlyList<TopicBatchItem> Decode(byte[] body)
    {
        ProtoReader reader = new(body);
        return Codec.Read(ref reader);
    }

    private static TopicBatchItem Read(ref ProtoReader reader)
    {
        ulong key = 0, lost = 0;
        uint type = 0;
        byte[] payload = [];
        int outer = reader.StartMessage();
        while (reader.TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case Key:
                    key = reader.ReadUInt64();
                    break;
                case Type:
                    type = reader.ReadUInt32();
                    break;
                case Lost:
                    lost = reader.ReadUInt64();
                    break;
                case Payload:
                    payload = reader.ReadBytes();
                    break;
                default:
                    reader.SkipField(tag);
                    break;
            }
        }

        reader.EndMessage(outer);
        return new TopicBatchItem(key, (ushort)type, (long)(lost & long.MaxValue), payload);
    }
}
