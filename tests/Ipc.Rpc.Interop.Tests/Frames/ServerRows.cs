using System.Collections.Generic;
using System.Linq;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>Section 1 of docs/rpc-protocol.md, row by row, as a client may get it wrong.</summary>
internal static class ServerRows
{
    private const int Cancelled = 1, InvalidArgument = 3, DeadlineExceeded = 4, ResourceExhausted = 8, OutOfRange = 11, Unimplemented = 12;
    private static readonly byte[] _data = Text(1, "data");
    private static readonly byte[] _minute = Number(1, 60_000);

    public static IReadOnlyList<ServerRow> All { get; } = [.. Closing(), .. Requests(), .. Heads(), .. Messages(), .. Calls(), .. Streams()];

    private static IEnumerable<ServerRow> Closing()
    {
        yield return Closes("an empty record", (byte[])[]);
        yield return Closes("23 bytes", new byte[23]);
        yield return Closes("a record of another type", Ask("Echo", 1)) with { RecordType = 2 };
        foreach (byte kind in new byte[] { 0, 12, 255 })
            yield return Closes($"kind {kind}", Frame(kind, 1));
        foreach (byte kind in new[] { Response, Error, Progress })
            yield return Closes($"kind {kind}, which only who is called sends", Frame(kind, 1));
        foreach (byte kind in new[] { Request, Cancel })
            yield return Closes($"kind {kind} of a callback, which only the server sends", Frame(kind, 1, flags: Callback));
        foreach (byte kind in new[] { Request, Item, End, Credit, Cancel })
            yield return Closes($"kind {kind} of call 0", Frame(kind, 0, method: 1));
        yield return Closes("a credit of nothing", Frame(Credit, 1));
        yield return Closes("credit beyond 2^31 bytes at once", Ask("Mirror", 1, null, ClientStream, 1), Frame(Credit, 1, deadline: ulong.MaxValue));
        yield return Closes("credit beyond 2^31 bytes in sum", Ask("Mirror", 1, null, ClientStream, 1), Frame(Credit, 1, deadline: 0x7fff0000), Frame(Credit, 1, deadline: 1));
        yield return Closes("nothing was read", Frame(Read, 0));
        yield return Closes("more was read than was sent", Frame(Read, 0, method: 64));
        yield return Closes("more of loans was read than was sent", Ask("Count", 1, Number(1, 1), credit: 1), Frame(Read, 0, method: 64, deadline: 1));
        yield return Closes("a read frame of a call", Frame(Read, 1, method: 64));
        foreach (byte flag in new byte[] { OneWay, Callback, Head, ClientStream, Format1, 0x40, 0x80 })
            yield return Closes($"a read frame with flag 0x{flag:x}", Frame(Read, 0, flags: flag, method: 64));
        foreach (byte kind in new[] { Request, Item, End, Credit, Cancel, Ping, Pong })
            yield return Closes($"kind {kind} with flag 0x80", Frame(kind, 1, flags: 0x80, method: 1));
        foreach (byte kind in new[] { Item, End, Credit, Cancel, Ping, Pong })
        {
            foreach (byte flag in new[] { OneWay, Head, ClientStream, Format1 })
                yield return Closes($"kind {kind} with flag 0x{flag:x}, which has no meaning there", Frame(kind, 1, flags: flag, method: 1));
        }
        yield return Closes("a request with flag 0x40", Ask("Echo", 1, _data, 0x40));
        yield return Closes("format 3", Ask("Echo", 1, _data, Format3));
        yield return Closes("a response with a format", Frame(Response, 1, flags: Callback | Format1));
        yield return Closes("a ping of a callback", Frame(Ping, 1, flags: Callback));
        yield return Closes("a ping of 65 bytes", Frame(Ping, 1, new byte[65]));
        yield return Closes("a pong of 65 bytes", Frame(Pong, 1, new byte[65]));
        yield return Closes("credit beyond 2^31 at once", Ask("Mirror", 1, null, ClientStream, 1), Frame(Credit, 1, method: uint.MaxValue));
        yield return Closes(
            "credit beyond 2^31 in sum", Ask("Mirror", 1, null, ClientStream, 9), Frame(Credit, 1, method: 0x7ffffff0), Frame(Credit, 1, method: 0x7ffffff0));
    }

    private static IEnumerable<ServerRow> Requests()
    {
        yield return new("a method that there is not", [Frame(Request, 1, _data, method: 0x12345678)], [(1, Unimplemented)]);
        yield return new("Echo as a server stream", [Ask("Echo", 1, _data, credit: 1)], [(1, Unimplemented)]);
        yield return new("Echo as a client stream", [Ask("Echo", 1, _data, ClientStream), Frame(Item, 1, _data), Frame(End, 1)], [(1, Unimplemented)]);
        yield return new("Count as unary", [Ask("Count", 1)], [(1, Unimplemented)]);
        yield return new("Count as duplex", [Ask("Count", 1, null, ClientStream, 4)], [(1, Unimplemented)]);
        yield return new("Collect as unary", [Ask("Collect", 1)], [(1, Unimplemented)]);
        yield return new("Mirror as a client stream", [Ask("Mirror", 1, null, ClientStream)], [(1, Unimplemented)]);
        yield return new("MessagePack, which the server has not", [Ask("Echo", 1, _data, Format1)], [(1, Unimplemented)]);
        yield return new("a named format, which the server has not", [Ask("Echo", 1, WithHead(Text(4, "nope"), _data), Head | Format2)], [(1, Unimplemented)]);
        yield return new("a named format without a name", [Ask("Echo", 1, _data, Format2)], [(1, Unimplemented)]);
        yield return new("one-way, whatever happens", [
            Ask("Note", 1, _data, OneWay), Frame(Request, 2, _data, OneWay, method: 0x12345678), Ask("Echo", 3, [0x0A, 0x7F], OneWay),
            Ask("Fail", 4, Number(1, 5), OneWay), Ask("Echo", 5, [1], OneWay | Head)], []);
        yield return new("one-way and a stream", [Ask("Count", 1, null, OneWay, 5), Ask("Collect", 2, null, OneWay | ClientStream)], []);
        yield return new("a deadline that has passed", [Ask("Sleep", 1, _minute, deadline: 1)], [(1, DeadlineExceeded)]);
        yield return new("a deadline that has passed, of a stream", [Ask("Mirror", 1, null, ClientStream, 1, deadline: 1)], [(1, DeadlineExceeded)]);
    }

    private static IEnumerable<ServerRow> Heads()
    {
        ServerRow Bad(string name, byte[] body) => new("a head " + name, [Ask("Echo", 1, body, Head)], [(1, InvalidArgument)]);
        ServerRow Good(string name, byte[] head) => new("a head " + name, [Ask("Echo", 1, WithHead(head, _data), Head)], [(1, 0)]);
        yield return Bad("of no bytes", []);
        yield return Bad("of 3 bytes", [0, 0, 0]);
        yield return Bad("longer than the frame", WithHead([], saying: 1));
        yield return Bad("as long as 32 bits say", WithHead([], saying: -1));
        yield return Bad("of 16,385 bytes", WithHead(Bytes(9, new byte[MaxHead - 2])));
        yield return Bad("cut inside a field", WithHead([0x1A, 5, 1]));
        yield return Bad("with field number 0", WithHead([0x02, 0]));
        yield return Bad("with wire type 7", WithHead([0x0F]));
        yield return Bad("with a group that does not end", WithHead([0x4B]));
        yield return Bad("with a trace context of 3 bytes", WithHead(Bytes(1, 1, 2, 3)));
        yield return Bad("with a trace state that is no text", WithHead(Bytes(2, 0xFF)));
        yield return Bad("with a format that is no text", WithHead(Bytes(4, 0xC0, 0x80)));
        yield return Bad("with an upper-case key", WithHead(Entry("Key", 1)));
        yield return Bad("with a key of nothing", WithHead(Bytes(3, Bytes(2, 1))));
        yield return Bad("with a key that is no text", WithHead(Bytes(3, Bytes(1, 0xFF))));
        yield return Good("of no fields", []);
        yield return Good("of 16,384 bytes", Bytes(9, new byte[MaxHead - 3]));
        yield return Good("with unknown fields of every type", [.. Number(9, 1), 0x4D, 1, 2, 3, 4, 0x51, 1, 2, 3, 4, 5, 6, 7, 8, .. Text(11, "x"), 0x63, 0x64]);
        yield return Good("with a known number of another type", [.. Number(1, 5), .. Number(3, 5)]);
        yield return Good("with a key twice", [.. Entry("k", 0xFF), .. Entry("k")]);
    }

    private static IEnumerable<ServerRow> Messages()
    {
        ServerRow Bad(string name, string method, params byte[] body) => new("a message " + name, [Ask(method, 1, body)], [(1, InvalidArgument)]);
        yield return Bad("cut inside a field", "Echo", 0x0A, 0x7F);
        yield return Bad("cut inside a varint", "Sleep", 0x08, 0x80);
        yield return Bad("with a varint of 11 bytes", "Sleep", [0x08, .. Enumerable.Repeat((byte)0xFF, 10), 1]);
        yield return Bad("with a length of 4 GiB", "Echo", 0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F);
        yield return Bad("with a length of 2^63", "Echo", 0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F);
        yield return Bad("with field number 0", "Echo", 0x02, 0x00);
        yield return Bad("with wire type 6", "Echo", 0x0E);
        yield return Bad("with wire type 7", "Echo", 0x0F);
        yield return Bad("with an end of no group", "Echo", 0x0C);
        yield return Bad("with a group that does not end", "Echo", 0x4B);
        yield return Bad("with the end of another group", "Echo", 0x4B, 0x54);
        yield return Bad("nested deeper than 100", "Echo", Nested(101));
        yield return Bad("nested deeper than any stack", "Echo", Nested(20_000));
        yield return Bad("with text that is not UTF-8", "Fail", [.. Number(1, 5), .. Bytes(2, 0xC3, 0x28)]);
        yield return Bad("with half a surrogate pair", "Fail", [.. Number(1, 5), .. Bytes(2, 0xED, 0xA0, 0x80)]);
        yield return new("a message with unknown fields", [Ask("Echo", 1, [.. Number(9, 1), .. Nested(20), .. _data])], [(1, 0)]);
        yield return new("a message with a known number of another type", [Ask("Echo", 1, Number(1, 9))], [(1, 0)]);
        yield return new("an item that is no message", [Ask("Collect", 1, null, ClientStream), Frame(Item, 1, [0x0A, 0x7F])], [(1, InvalidArgument)]);
        yield return new("an item that is no message, to be mirrored", [Ask("Mirror", 1, null, ClientStream, 9), Frame(Item, 1, [0x0F])], [(1, InvalidArgument)]);
        yield return new("a server stream's request that is none", [Ask("Count", 1, [0x0F], credit: 9)], [(1, InvalidArgument)]);
    }

    private static IEnumerable<ServerRow> Calls()
    {
        byte[][] toNobody = [Frame(Item, 99, _data), Frame(End, 99), Frame(Credit, 99, method: uint.MaxValue), Frame(Cancel, 99)];
        yield return new("frames for a call that there never was", toNobody, []);
        yield return new("answers to a callback that there never was", [
            Frame(Response, 99, _data, Callback), Frame(Error, 99, null, Callback, 5), Frame(Item, 99, _data, Callback), Frame(End, 99, null, Callback),
            Frame(Progress, 99, _data, Callback), Frame(Credit, 99, null, Callback, method: 5)], []);
        yield return new("a pong that nobody asked for", [Frame(Pong, 5)], []);
        yield return new("a cancel", [Ask("Sleep", 1, _minute), Frame(Cancel, 1), Frame(Cancel, 1)], [(1, Cancelled)]);
        yield return new("the id of a call that is pending", [Ask("Sleep", 1, _minute), Ask("Sleep", 1, _minute)], [(1, InvalidArgument)]);
        yield return new("the id of a stream that is pending", [Ask("Mirror", 1, null, ClientStream, 5), Ask("Echo", 1, _data)], [(1, InvalidArgument)]);
        yield return new("the id of a call that has ended", [Ask("Echo", 1, _data), Ask("Fail", 1, [.. Number(1, 11), .. Text(2, "why")])], [(1, 0), (1, OutOfRange)]) { OneByOne = true };
        yield return new("credit beyond all counting for a call that is no stream", [
            Ask("Sleep", 1, _minute), Frame(Credit, 1, method: uint.MaxValue, deadline: ulong.MaxValue), Frame(Cancel, 1)], [(1, Cancelled)]);
        yield return new("credit beyond all counting for a call whose answer is no stream", [
            Ask("Collect", 1, null, ClientStream), Frame(Credit, 1, method: uint.MaxValue, deadline: ulong.MaxValue), Frame(End, 1)], [(1, 0)]);
        yield return new("credit for a call that is no stream", [Ask("Sleep", 1, _minute), Frame(Credit, 1, method: 7), Frame(Cancel, 1)], [(1, Cancelled)]);
    }

    private static IEnumerable<ServerRow> Streams()
    {
        byte[] item = Frame(Item, 1, _data), end = Frame(End, 1);
        yield return new("items, an end and another after the end", [Ask("Collect", 1, null, ClientStream), item, item, end, item, end], [(1, 0)]);
        yield return new("items after the answer", [Ask("Collect", 1, Number(1, 2), ClientStream), item, item, item, item, end], [(1, 0)]);
        yield return new("items for a stream that has failed", [Ask("Collect", 1, null, ClientStream), Frame(Item, 1, Bytes(1, new byte[13])), item, end], [(1, OutOfRange)]);
        yield return new("a cancel and an end behind it", [Ask("Collect", 1, null, ClientStream), item, Frame(Cancel, 1), end], [(1, Cancelled)]);
        // Its handler has credit for one item of the answer, and is about to give the second.
        yield return new(
            "an end and a cancel behind it", [Ask("Mirror", 1, null, ClientStream, 1), item, item, end, Frame(Cancel, 1), end], [(1, Cancelled)]);
        yield return new("items after a cancel", [Ask("Mirror", 1, null, ClientStream, 5), item, Frame(Cancel, 1), item], [(1, Cancelled)]);
        // Its handler has credit for one item of the answer: it takes two of the request's, and stops.
        yield return new(
            "more items than there was credit for",
            [Ask("Mirror", 1, null, ClientStream, 1), .. Enumerable.Repeat(item, 2000)],
            [(1, ResourceExhausted)]);
        yield return new("a server stream that is left", [Ask("Count", 1, Number(1, int.MaxValue), credit: 3), Frame(Cancel, 1)], [(1, Cancelled)]);
        yield return new("items for a server stream", [Ask("Count", 1, Number(1, int.MaxValue), credit: 3), item], [(1, ResourceExhausted)]);
        yield return new("items for a unary call", [Ask("Sleep", 1, _minute), item], [(1, ResourceExhausted)]);
    }

    private static ServerRow Closes(string name, params byte[][] sent) => new(name, sent, []) { Closes = true };
}
