using System;
using System.Collections.Generic;
using System.Linq;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>Section 1 of docs/rpc-protocol.md, row by row, as a server may get it wrong.</summary>
internal static class ClientRows
{
    private static readonly byte[] _data = Text(1, "data");
    private static readonly byte[] _why = Text(2, "why");

    public static IReadOnlyList<ClientRow> All { get; } = [.. Closing(), .. Answers(), .. Errors(), .. Others(), .. Streams(), .. Sending(), .. Reports()];

    private static IEnumerable<ClientRow> Closing()
    {
        yield return Closes("an empty record", "echo", _ => []);
        yield return Closes("23 bytes", "echo", _ => new byte[23]);
        yield return Closes("a record of another type", "echo", call => Frame(Response, call)) with { RecordType = 2 };
        foreach (byte kind in new byte[] { 0, 12, 255 })
            yield return Closes($"kind {kind}", "echo", call => Frame(kind, call));
        foreach (byte kind in new[] { Request, Cancel })
            yield return Closes($"kind {kind}, which only a caller sends", "echo", call => Frame(kind, call));
        foreach (byte kind in new[] { Response, Error, Progress })
            yield return Closes($"kind {kind} of its own callback", "echo", call => Frame(kind, call, flags: Callback));
        foreach (byte kind in new[] { Response, Error, Item, End, Credit, Progress })
            yield return Closes($"kind {kind} of call 0", "echo", _ => Frame(kind, 0, method: 1));
        foreach (byte flag in new byte[] { OneWay, ClientStream, Format1, Format2, 0x40, 0x80 })
        {
            foreach (byte kind in new[] { Response, Error, Item, End, Credit, Progress })
                yield return Closes($"kind {kind} with flag 0x{flag:x}", "echo", call => Frame(kind, call, flags: flag, method: 1));
        }
        foreach (byte kind in new[] { Item, Credit, Progress })
            yield return Closes($"kind {kind} with a head", "echo", call => Frame(kind, call, WithHead([]), Head, method: 1));
        yield return Closes("a credit of nothing", "echo", call => Frame(Credit, call));
        yield return Closes("nothing was read", "echo", _ => Frame(Read, 0));
        yield return Closes("more was read than was sent", "echo", _ => Frame(Read, 0, method: 64));
        yield return Closes("more of loans was read than was sent", "echo", _ => Frame(Read, 0, method: 64, deadline: 1));
        yield return Closes("a read frame of a call", "echo", call => Frame(Read, call, method: 64));
        yield return Closes("a read frame of callbacks", "echo", _ => Frame(Read, 0, flags: Callback, method: 64));
        yield return Closes("a ping of 65 bytes", "echo", call => Frame(Ping, call, new byte[65]));
        yield return Closes("a callback in format 3", "echo", call => Frame(Request, call, flags: Callback | Format3));
        yield return Closes("an item for a unary call", "echo", call => Frame(Item, call, _data));
        yield return Closes("the end of a unary call", "echo", call => Frame(End, call));
        yield return Closes("an item for a call with progress", "steps", call => Frame(Item, call, _data));
        yield return Closes("a response for a server stream", "count", call => Frame(Response, call, _data));
        yield return Closes("a response for a duplex stream", "mirror", call => Frame(Response, call, _data));
        yield return Closes("an item for a client stream", "collect", call => Frame(Item, call, _data));
        yield return Closes("the end of a client stream", "collect", call => Frame(End, call));
        foreach (string shape in new[] { "collect", "mirror" })
        {
            yield return Closes("credit beyond 2^31 for " + shape, shape, call => Frame(Credit, call, method: uint.MaxValue));
            yield return Closes("credit beyond 2^31 bytes for " + shape, shape, call => Frame(Credit, call, deadline: ulong.MaxValue));
        }
    }

    private static IEnumerable<ClientRow> Answers()
    {
        ClientRow Bad(string name, byte[] body, byte flags = 0) => new("a response " + name, "echo", call => [Frame(Response, call, body, flags)], RpcStatus.Internal);
        ClientRow Good(string name, byte[] body, byte flags = 0) => new("a response " + name, "echo", call => [Frame(Response, call, body, flags)], RpcStatus.Ok);
        yield return Bad("cut inside a field", [0x0A, 0x7F]);
        yield return Bad("with a length of 2^63", [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]);
        yield return Bad("with wire type 7", [0x0F]);
        yield return Bad("nested deeper than 100", Nested(101));
        yield return Bad("nested deeper than any stack", Nested(20_000));
        yield return Bad("with a head of 3 bytes", [0, 0, 0], Head);
        yield return Bad("with a head longer than the frame", WithHead([], saying: 1), Head);
        yield return Bad("with a head of 16,385 bytes", WithHead(Bytes(9, new byte[MaxHead - 2])), Head);
        yield return Bad("with a head cut inside a field", WithHead([0x1A, 5, 1]), Head);
        yield return Bad("with an upper-case key", WithHead(Entry("Key", 1)), Head);
        yield return Good("of nothing", []);
        yield return Good("with unknown fields", [.. Number(9, 1), .. Nested(20), .. _data]);
        yield return Good("with metadata", WithHead(Entry("k", 0xFF), _data), Head);
        yield return Good("with a head of 16,384 bytes", WithHead(Bytes(9, new byte[MaxHead - 3])), Head);
    }

    private static IEnumerable<ClientRow> Errors()
    {
        ClientRow Row(string name, ushort code, byte[] body, RpcStatus ended, byte flags = 0, string shape = "echo")
            => new($"an error {name} ({shape})", shape, call => [Frame(Error, call, body, flags, code)], ended);
        for (ushort code = 1; code <= 16; code++)
            yield return Row($"{code}", code, _why, (RpcStatus)code);
        foreach (ushort code in new ushort[] { 0, 17, 999, ushort.MaxValue })
            yield return Row($"{code}, which is none", code, _why, RpcStatus.Unknown);
        foreach (string shape in new[] { "count", "collect", "mirror", "steps" })
            yield return Row("10", 10, _why, RpcStatus.Aborted, shape: shape);
        yield return Row("of no body", 10, [], RpcStatus.Aborted);
        yield return Row("cut inside a field", 10, [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], RpcStatus.Aborted);
        yield return Row("whose text is none", 10, Bytes(2, 0xFF), RpcStatus.Aborted);
        yield return Row("whose detail is none", 10, Bytes(3, 0x0F), RpcStatus.Aborted);
        yield return Row("nested deeper than 100", 10, Nested(101), RpcStatus.Aborted);
        yield return Row("with metadata", 10, WithHead(Entry("k", 1), _why), RpcStatus.Aborted, Head);
        yield return Row("with a damaged head", 10, WithHead([0x0F], _why), RpcStatus.Internal, Head);
    }

    private static IEnumerable<ClientRow> Others()
    {
        IReadOnlyList<byte[]> Then(ulong call, params byte[][] frames) => [.. frames, Frame(Response, call, _data)];
        yield return new("replies that come too late for others", "echo", call => Then(
            call, Frame(Response, call + (1UL << 32), [0x0F]), Frame(Response, call + 7, [0x0F]), Frame(Error, ulong.MaxValue, null, code: 5),
            Frame(Item, call + 7), Frame(End, call + 7), Frame(Credit, call + 7, method: uint.MaxValue), Frame(Progress, call + 7)), RpcStatus.Ok);
        yield return new("progress that nobody asked for", "echo", call => Then(call, Frame(Progress, call, _data)), RpcStatus.Ok);
        yield return new("credit for a unary call", "echo", call => Then(call, Frame(Credit, call, method: 5)), RpcStatus.Ok);
        yield return new("credit beyond all counting for a unary call", "echo", call => Then(call, Frame(Credit, call, method: uint.MaxValue, deadline: ulong.MaxValue)), RpcStatus.Ok);
        yield return new("two responses", "echo", call => Then(call, Frame(Response, call, _data)), RpcStatus.Ok);
        yield return new("a pong that nobody asked for", "echo", call => Then(call, Frame(Pong, 0)), RpcStatus.Ok);
        yield return new("a ping", "echo", call => Then(call, Frame(Ping, 0, [1])), RpcStatus.Ok) { Back = [(Pong, 0)] };
        yield return new("frames for callbacks that there never were", "echo", call => Then(
            call, Frame(Item, 3, null, Callback), Frame(End, 3, null, Callback), Frame(Credit, 3, null, Callback, method: 3), Frame(Cancel, 3, null, Callback)), RpcStatus.Ok);
        yield return new("a callback that the client does not serve", "echo", call => Then(call, Frame(Request, 3, _data, Callback, method: 77)), RpcStatus.Ok)
        {
            Back = [(Error, (ushort)RpcStatus.Unimplemented)],
        };
        yield return new("a one-way callback that the client does not serve", "echo", call => Then(call, Frame(Request, 3, _data, Callback | OneWay, method: 77)), RpcStatus.Ok);
    }

    private static IEnumerable<ClientRow> Streams()
    {
        foreach (string shape in new[] { "count", "mirror" })
        {
            ClientRow Row(string name, RpcStatus ended, int items, Func<ulong, IReadOnlyList<byte[]>> sent)
                => new($"{name} ({shape})", shape, sent, ended) { Items = items };
            yield return Row("four items", RpcStatus.Ok, 4, call => [.. Items(call, 4), Frame(End, call)]);
            yield return Row("nothing but an end", RpcStatus.Ok, 0, call => [Frame(End, call)]);
            yield return Row("frames after the end", RpcStatus.Ok, 1, call => [.. Items(call, 1), Frame(End, call), .. Items(call, 1), Frame(End, call), Frame(Error, call, _why, code: 5)]);
            yield return Row("an end with metadata", RpcStatus.Ok, 1, call => [.. Items(call, 1), Frame(End, call, WithHead(Entry("k", 1)), Head)]);
            yield return Row("an end with a damaged head", RpcStatus.Internal, 1, call => [.. Items(call, 1), Frame(End, call, [9], Head)]);
            yield return Row("an error in the middle", RpcStatus.Aborted, 2, call => [.. Items(call, 2), Frame(Error, call, _why, code: 10), .. Items(call, 1)]);
            // One has been taken, too few to give more credit; the fifth comes while the caller is busy with an echo.
            yield return Row("more items than there was credit for", RpcStatus.ResourceExhausted, 4, call => [.. Items(call, 5)]) with
            {
                Shape = shape + "-late",
                Back = [(Cancel, 0)],
            };
            yield return Row("an item that is no message", RpcStatus.Internal, 1, call => [.. Items(call, 1), Frame(Item, call, [0x0F])]) with { Back = [(Cancel, 0)] };
        }
    }

    private static IEnumerable<ClientRow> Sending()
    {
        foreach (string shape in new[] { "collect", "mirror" })
        {
            byte[] end(ulong call) => shape == "collect" ? Frame(Response, call, _data) : Frame(End, call);
            yield return new("an answer at once (" + shape + ")", shape, call => [end(call)], RpcStatus.Ok);
            yield return new("credit (" + shape + ")", shape, call => [Frame(Credit, call, method: 5), end(call)], RpcStatus.Ok);
            yield return new("credit after the answer (" + shape + ")", shape, call => [end(call), Frame(Credit, call, method: uint.MaxValue)], RpcStatus.Ok);
        }
    }

    private static IEnumerable<ClientRow> Reports()
    {
        yield return new("progress", "steps", call => [Frame(Progress, call, _data), Frame(Response, call, _data)], RpcStatus.Ok);
        yield return new("progress after the answer", "steps", call => [Frame(Response, call, _data), Frame(Progress, call, _data)], RpcStatus.Ok) { Items = 0 };
        yield return new("progress that is no message", "steps", call => [Frame(Progress, call, [0x0F])], RpcStatus.Internal) { Items = 0, Back = [(Cancel, 0)] };
    }

    private static IEnumerable<byte[]> Items(ulong call, int count) => Enumerable.Repeat(Frame(Item, call, _data), count);

    private static ClientRow Closes(string name, string shape, Func<ulong, byte[]> sent)
        => new(name, shape, call => [sent(call)], RpcStatus.DataLoss) { Closes = true };
}
