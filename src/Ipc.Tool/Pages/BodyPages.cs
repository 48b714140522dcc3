using System.Globalization;

namespace Ipc.Tool;

/// <summary>The body of a region for people, by its kind.</summary>
internal static class BodyPages
{
    public static void Ring(PageWriter page, string heading, RingReport ring)
    {
        page.Heading(heading);
        page.Line("capacity", $"{Human.Bytes(ring.Capacity)} at {ring.DataOffset}");
        page.Line("writer", (ring.Writer is { } writer ? $"participant {writer}, " : "") + ring.WriterState + On(ring.WriterProcessor) + How(ring.WriterSpin));
        page.Line("reader", (ring.Reader is { } reader ? $"participant {reader}, " : "") + ring.ReaderState + On(ring.ReaderProcessor) + How(ring.ReaderSpin));
        page.Line("not released", $"{ring.Records}{(ring.More ? " or more" : "")} records, {Human.Bytes(ring.Used)}");
        page.Line("tail", $"{ring.Tail}");
        page.Line("read position", $"{ring.ReadPosition}");
        page.Line("free position", $"{ring.FreePosition}");
        page.Line("waiter data", ring.Data.ToString());
        page.Line("waiter space", ring.Space.ToString());
    }

    private static string Number(int? processor) => processor is { } number ? $"{number}" : "not known";

    private static string On(int? processor) => processor is { } number ? $", last waited or woke on processor {number}" : "";

    private static string How(SpinReport? spin) => spin is null ? "" : $", {spin}";

    public static void Queue(PageWriter page, QueueReport queue)
    {
        page.Heading("queue");
        page.Line("blocks", $"{queue.SlotCount} of {queue.BlockSize} bytes in each of {queue.Segments} segments, {queue.SegmentLimit} at most");
        page.Line("messages", $"{queue.Ready} ready, {queue.Writing} being written, {queue.Reading} being read");
        page.Line("sent, received", $"{queue.Sent}, {queue.Received}");
        page.Line("of the dead", $"{queue.Redelivered} delivered again, {queue.Dropped} dropped{(queue.OrphansPending ? "; some wait" : "")}");
        page.Line("a dead one's", queue.DropsOrphans ? "messages are dropped" : "messages are delivered again");
        page.Line("growth failures", $"{queue.GrowthFailures}");
        page.Line("waiter data", queue.Data.ToString());
        page.Line("waiter space", queue.Space.ToString());
        var table = new Listing(
            Column.Number("  SEGMENT", 0, "segment"), Column.Number("TAIL", 2, "tail"), Column.Number("HEAD", 3, "head"), Column.Number("NEXT", 4, "next"),
            Column.Text("USED BY", 1, "used by"));
        foreach (SegmentReport segment in queue.Chain)
        {
            string by = (segment.Index == queue.SendSegment ? "senders " : "") + (segment.Index == queue.ReceiveSegment ? "receivers" : "");
            table.Add(new Cell(Text(segment.Index)), new Cell(Text(segment.Tail)), new Cell(Text(segment.Head)),
                new Cell(segment.NextSequence == 0 ? "" : Text(segment.NextSegment)), new Cell(by));
        }

        page.Table(table);
    }

    public static void Topic(PageWriter page, TopicReport topic)
    {
        page.Heading("topic");
        page.Line("blocks", $"{topic.SlotCount} of {topic.BlockSize} bytes");
        page.Line("written", $"{topic.Written} messages, tail {topic.Tail}");
        page.Line("evictions", $"{topic.Evictions}");
        page.Line("readers", $"{topic.MaxReaders} at most; policies {string.Join(", ", topic.Policies)}");
        page.Line("writers", topic.SingleWriter ? "one at a time" : "many");
        page.Line("waiter data", topic.Data.ToString());
        page.Line("waiter space", topic.Space.ToString());
        if (topic.Readers.Count == 0)
            return;
        var table = new Listing(
            Column.Number("  READER", 0, "reader"), Column.Text("STATE", 2), Column.Text("POLICY", 1), Column.Number("BEHIND", 0, "behind"), Column.Number("LOST", 0, "lost"),
            Column.Number("CURSOR", 3, "cursor"), Column.Number("JOINED AT", 4, "joined at"));
        foreach (TopicReaderReport reader in topic.Readers)
        {
            table.Add(new Cell(Text((uint)reader.Participant)), new Cell(reader.State), new Cell(reader.Policy), new Cell(Text(reader.Behind)),
                new Cell(Text(reader.Lost)), new Cell(Text(reader.Cursor)), new Cell(Text(reader.Joined)));
        }

        page.Table(table);
    }

    public static void Listener(PageWriter page, ListenerReport listener)
    {
        page.Heading("listener");
        page.Line("server", listener.Server);
        page.Line("speaks", listener.Speaks ?? "what it speaks it does not say");
        page.Line("slots", $"{listener.Slots.Count} in use of {listener.SlotCount - 1}, {listener.Ready} ready bits set");
        page.Line("largest ring", Human.Bytes(listener.MaxRingCapacity));
        page.Line("doorbell", listener.Doorbell.ToString());
        if (listener.Slots.Count == 0)
            return;
        var table = new Listing(
            Column.Number("  SLOT", 0, "slot"), Column.Text("STATE", 0), Column.Number("CLIENT", 0, "client"), Column.Text("ALIVE", 1), Column.Text("CONNECTION", 2, "connection"));
        foreach (ListenerSlotReport slot in listener.Slots)
            table.Add(new Cell(Text((uint)slot.Slot)), new Cell(slot.State), new Cell(Text(slot.Pid)), new Cell(slot.Alive ? "alive" : "dead"), new Cell(slot.ConnectionId));
        page.Table(table);
    }

    public static void Connection(PageWriter page, ConnectionReport connection)
    {
        page.Heading("connection");
        page.Line("slot", $"{connection.Slot}");
        page.Line("connection id", connection.ConnectionId);
        page.Line("server's reply", connection.Reply);
        page.Line("server", connection.ServerClose);
        page.Line("client", connection.ClientClose);
        page.Line("server's text", connection.ServerText);
        page.Line("hello", connection.Hello);
        page.Line("processors", $"server {Number(connection.ServerProcessor)}, client {Number(connection.ClientProcessor)}");
        page.Line("waiter session", connection.Session.ToString());
        if (connection.ToServer is not null)
            Ring(page, "ring to the server", connection.ToServer);
        if (connection.ToClient is not null)
            Ring(page, "ring to the client", connection.ToClient);
    }

    public static void Named(PageWriter page, NamedReport named)
    {
        page.Heading("named connection");
        page.Line("client", named.Client);
        page.Line("server", named.Identity is null ? $"{named.Server}, which has not been here yet" : $"{named.Server}, identity {named.Identity}");
        page.Line("acknowledged", $"{named.AcknowledgedByServer} by the server, {named.AcknowledgedByClient} by the client");
        if (named.ToServer is not null)
            Ring(page, "ring to the server", named.ToServer);
        if (named.ToClient is not null)
            Ring(page, "ring to the client", named.ToClient);
    }

    public static void Sync(PageWriter page, string kind, string state, SyncReport sync)
    {
        page.Heading(kind);
        page.Line("state", state);
        if (sync.Owner is { } owner)
            page.Line("owner", $"participant {owner}");
        if (sync.Abandoned is { } abandoned)
            page.Line("abandoned", abandoned ? "yes: whoever is next is told" : "no");
        if (sync.Manual is { } manual)
            page.Line("reset", manual ? "by hand" : "by itself");
        page.Line("waiter", sync.Waiting.ToString());
    }

    public static void Pool(PageWriter page, PoolReport pool)
    {
        page.Heading("pool of long messages");
        page.Line("budget", $"{Human.Bytes(pool.Budget)}, {Human.Bytes(pool.Present)} present");
        page.Line("blocks", $"{pool.Blocks} in {pool.Classes} sizes: {pool.Published} hold messages, {pool.Owned} are being filled");
        page.Line("exhausted", $"{pool.Exhausted} times");
    }

    private static string Text(ulong number) => number.ToString(CultureInfo.InvariantCulture);
}
