using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A side with methods lists them to whoever asks; docs/rpc-protocol.md section 8. The C++ twin is rpc_reflection_test.</summary>
public sealed class ReflectionTests
{
    private static readonly uint _id = RpcMethod.IdOf("ipc.reflection.v1/List");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task EveryKindOfMethodIsListedInOrder()
    {
        string name = TestServer.NewName();
        using RpcServer server = RpcServer.Start(name, Hand.Service(OfEveryKind()), new RpcService("aaa.v1", [Numbered("aaa.v1", "Last"), Numbered("aaa.v1", "First")]));
        using RpcClient client = RpcClient.Connect(name);
        IReadOnlyList<RpcMethodInfo> methods = await Eventually.Ends(RpcReflection.ListAsync(client, Cancel).AsTask());
        string[] expected =
        [
            "aaa.v1/First Unary", "aaa.v1/Last Unary", "hand.v1/Items ServerStream", "hand.v1/Once Unary once", "hand.v1/Same Unary idempotent", "hand.v1/Scale Duplex",
            "hand.v1/Sum ClientStream", "hand.v1/Tell Unary one-way", "hand.v1/Work Unary",
        ];
        Assert.Equal(expected, methods.Select(Line));
        Assert.Equal(("aaa.v1", "First", "aaa.v1/First"), (methods[0].Service, methods[0].Name, methods[0].ToString()));
        Assert.Throws<ArgumentNullException>(() => { _ = RpcReflection.ListAsync(null!, Cancel).AsTask(); });
    }

    /// <summary>As any proto3 message: what has its default value is not written.</summary>
    [Fact]
    public void TheAnswerHasTheBytesThatTheProtocolSays()
    {
        using RpcServer server = Hand.Serve(out string name, OfEveryKind());
        using var raw = new RawClient(name);
        raw.Send(new FrameHeader(FrameKind.Request, 1, 0, _id), 0x18, 1); // a field that a later version has
        FrameHeader answer = raw.Receive(out byte[] body);
        Assert.Equal((FrameKind.Response, 1ul), (answer.Kind, answer.Call));
        byte[] expected =
        [
            .. Method("Items", 0x18, 1), .. Method("Once", 0x28, 1), .. Method("Same", 0x30, 1), .. Method("Scale", 0x18, 3), .. Method("Sum", 0x18, 2), .. Method("Tell", 0x20, 1),
            .. Method("Work"),
        ];
        Assert.Equal(expected, body);
    }

    [Fact]
    public async Task AServerWithoutMethodsListsNone()
    {
        string name = TestServer.NewName();
        using RpcServer server = RpcServer.Start(name);
        using RpcClient client = RpcClient.Connect(name);
        Assert.Empty(await Eventually.Ends(RpcReflection.ListAsync(client, Cancel).AsTask()));
        Assert.Empty(await Eventually.Ends(RpcReflection.ListAsync(client, Cancel).AsTask()));
    }

    /// <summary>What a client offers is not executed once: nothing is remembered there.</summary>
    [Fact]
    public async Task AHandlerAsksItsClient()
    {
        RpcHandler ask = RpcHandler.UnaryAsync(Hand.Ask, static async (_, cancel) =>
        {
            IReadOnlyList<RpcMethodInfo> methods = await RpcReflection.ListAsync(RpcContext.Current!.Caller, cancel);
            throw new RpcCallException(RpcStatus.NotFound, string.Join(", ", methods.Select(Line)));
        });
        using RpcServer server = Hand.Serve(out string name, ask);
        var options = new RpcClientOptions();
        options.Services.Add(Hand.Service(OfEveryKind()));
        using RpcClient offering = RpcClient.Connect(name, options);
        RpcCallException told = await Eventually.Fails(offering.CallAsync(Hand.Ask, 0, Cancel).AsTask());
        Assert.Equal(
            "hand.v1/Items ServerStream, hand.v1/Once Unary, hand.v1/Same Unary idempotent, hand.v1/Scale Duplex, hand.v1/Sum ClientStream, hand.v1/Tell Unary one-way, hand.v1/Work Unary",
            told.Message);

        using RpcClient plain = RpcClient.Connect(name);
        Assert.Equal(RpcStatus.Unimplemented, (await Eventually.Fails(plain.CallAsync(Hand.Ask, 0, Cancel).AsTask())).Status);
    }

    /// <summary>Neither side's serializer has to know the messages.</summary>
    [Fact]
    public async Task ItsMessagesAreProtobufInEveryFormat()
    {
        var options = new RpcServerOptions();
        options.Serializers.Add(new JsonIpcSerializer());
        using RpcServer server = Hand.Serve(out string name, options, OfEveryKind());
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { Serializer = new JsonIpcSerializer() });
        Assert.Equal(7, (await Eventually.Ends(RpcReflection.ListAsync(client, Cancel).AsTask())).Count);
    }

    [Fact]
    public async Task AnInterceptorSeesTheCallAndMayRefuseIt()
    {
        var options = new RpcServerOptions();
        options.Interceptors.Add(new Discreet());
        using RpcServer server = Hand.Serve(out string name, options, OfEveryKind());
        using RpcClient client = RpcClient.Connect(name);
        RpcCallException refused = await Eventually.Fails(RpcReflection.ListAsync(client, Cancel).AsTask());
        Assert.Equal((RpcStatus.PermissionDenied, "ipc.reflection.v1", "List"), (refused.Status, refused.Service, refused.Method));
    }

    [Fact]
    public async Task AMethodOfTheServersOwnWithThatNameTakesPrecedence()
    {
        RpcHandler own = Numbered("ipc.reflection.v1", "List");
        string name = TestServer.NewName();
        using RpcServer server = RpcServer.Start(name, new RpcService("ipc.reflection.v1", [own]));
        using RpcClient client = RpcClient.Connect(name);
        Assert.Equal(3, client.Call((RpcMethod<int, int>)own.Method, 3, Cancel));
        Assert.Empty(await Eventually.Ends(RpcReflection.ListAsync(client, Cancel).AsTask())); // its answer to what is no number is 0, which is no field
    }

    /// <summary>Who asks for what there is not, is not told of it.</summary>
    [Fact]
    public void TheTextOfAnUnknownMethodDoesNotNameIt()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static number => number));
        using RpcClient client = RpcClient.Connect(name);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(Hand.Other, 1, Cancel));
        Assert.Contains("It has hand.v1: Ask. ", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AServerOfAnEarlierVersionSaysThatItHasNone()
    {
        (RpcStatus status, _) = await AnswerOf(static (server, call) => server.Send(new FrameHeader(FrameKind.Error, call, (ushort)RpcStatus.Unimplemented)));
        Assert.Equal(RpcStatus.Unimplemented, status);
    }

    [Fact]
    public async Task WhatIsNoListFailsTheCallAndNothingElse()
    {
        byte[][] bad =
        [
            [0x0a, 5, 0x0a], // cut off
            [0x0a, 3, 0x0a, 1, 0xff], // no UTF-8
            [0x0a, 2, 0x18, 0x80], // a number that does not end within its method
            [0x0c], // a group ends that has not begun
            [.. Enumerable.Repeat<byte[]>([0x0a, 0], 65_537).SelectMany(static one => one)], // too many; of a kind each
        ];
        foreach (byte[] body in bad)
            Assert.Equal(RpcStatus.Internal, (await AnswerOf(Responding(body))).Status);
    }

    [Fact]
    public async Task WhatIsOddIsTakenAndWhatIsNotKnownIsLeftOut()
    {
        Assert.Empty((await AnswerOf(Responding())).Methods);
        Assert.Equal(["/ Unary"], (await AnswerOf(Responding(0x0a, 0))).Methods);
        byte[] odd =
        [
            .. Method("A", 0x18, 4), // kinds of later versions
            .. Method("B", 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
            .. Method("C", 0x18, 3, 0x20, 7, 0x38, 1, 0x42, 1, 0), // fields of later versions
            .. Method("D", 0x1a, 1, 0), // a known number of another wire type
            0x10, 1, 0x12, 1, 0,
            .. Method("C"),
        ];
        Assert.Equal(["hand.v1/C Duplex one-way", "hand.v1/D Unary", "hand.v1/C Unary"], (await AnswerOf(Responding(odd))).Methods);
        byte[] most = [.. Enumerable.Repeat<byte[]>([0x0a, 0], 65_536).SelectMany(static one => one)];
        Assert.Equal(65_536, (await AnswerOf(Responding(most))).Methods.Length);
    }

    private static string Line(RpcMethodInfo method)
        => method.FullName + " " + method.Kind + (method.IsOneWay ? " one-way" : "") + (method.IsOnce ? " once" : "") + (method.IsIdempotent ? " idempotent" : "");

    private static RpcHandler[] OfEveryKind() =>
    [
        RpcHandler.Unary(new RpcMethod<int, int>(Hand.Name, "Same", RpcMethodKind.Unary, Hand.Number, Hand.Number, isIdempotent: true), static number => number),
        RpcHandler.Unary(new RpcMethod<int, int>(Hand.Name, "Once", RpcMethodKind.Unary, Hand.Number, Hand.Number, isOnce: true), static number => number),
        RpcHandler.OneWay(Hand.Tell, static _ => { }),
        RpcHandler.ServerStream(Hand.Items, static (_, _) => new Source(0)),
        RpcHandler.UnaryProgress(Hand.Work, static (number, _, _) => new ValueTask<int>(number)),
        RpcHandler.ClientStream(Hand.Sum, static (number, _, _) => new ValueTask<int>(number)),
        RpcHandler.Duplex(Hand.Scale, static (_, items, _) => items),
    ];

    private static RpcHandler Numbered(string service, string name)
        => RpcHandler.Unary(new RpcMethod<int, int>(service, name, RpcMethodKind.Unary, Hand.Number, Hand.Number), static number => number);

    /// <summary>A method of hand.v1 in the list, with further bytes.</summary>
    private static byte[] Method(string name, params byte[] rest)
    {
        byte[] one = [0x0a, 7, .. "hand.v1"u8, 0x12, (byte)name.Length, .. Encoding.ASCII.GetBytes(name), .. rest];
        return [0x0a, (byte)one.Length, .. one];
    }

    private static Action<RawServer, ulong> Responding(params byte[] body) => (server, call) => server.Send(new FrameHeader(FrameKind.Response, call), body);

    /// <summary>What a client makes of an answer, after which it goes on.</summary>
    private static async Task<(RpcStatus Status, string[] Methods)> AnswerOf(Action<RawServer, ulong> answer)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false, ToClientCapacity = 1 << 20 });
        await Eventually.Ends(accepting);
        Task<IReadOnlyList<RpcMethodInfo>> asked = RpcReflection.ListAsync(client, Cancel).AsTask();
        FrameHeader request = server.Receive(out byte[] body);
        Assert.Equal((_id, 0), (request.Method, body.Length));
        answer(server, request.Call);
        await Eventually.Over(asked);
        Task<int> next = client.CallAsync(Hand.Ask, 1, Cancel).AsTask();
        server.Send(new FrameHeader(FrameKind.Response, server.Receive().Call), Hand.Bytes(2));
        Assert.Equal(2, await Eventually.Ends(next));
        try
        {
            return (RpcStatus.Ok, [.. (await asked).Select(Line)]);
        }
        catch (RpcCallException e)
        {
            return (e.Status, []);
        }
    }

    private sealed class Discreet : RpcServerInterceptor
    {
        public override void Starting(RpcContext context)
        {
            if (context.Method.Service == "ipc.reflection.v1")
                throw new RpcCallException(RpcStatus.PermissionDenied, "no");
        }
    }
}
