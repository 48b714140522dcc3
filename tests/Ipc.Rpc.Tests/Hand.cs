using System;
using Ipc.Rpc.Peer;

namespace Ipc.Rpc.Tests;

/// <summary>A contract written by hand, whose messages are numbers: a test gives it the handlers that it needs.</summary>
internal static class Hand
{
    public const string Name = "hand.v1";

    public static readonly MessageCodec<int> Number = TestServiceRpc.Add.Response;

    public static readonly RpcMethod<int, int> Ask = new(Name, "Ask", RpcMethodKind.Unary, Number, Number);
    public static readonly RpcMethod<int, int> Other = new(Name, "Other", RpcMethodKind.Unary, Number, Number);
    public static readonly RpcMethod<int, int> Third = new(Name, "Third", RpcMethodKind.Unary, Number, Number);
    public static readonly RpcMethod<int, int> Quick = new(Name, "Quick", RpcMethodKind.Unary, Number, Number);
    public static readonly RpcMethod<int, RpcEmpty> Tell = new(Name, "Tell", RpcMethodKind.Unary, Number, RpcEmpty.Codec, isOneWay: true);
    public static readonly RpcMethod<int, int> Items = new(Name, "Items", RpcMethodKind.ServerStream, Number, Number);
    public static readonly RpcProgressMethod<int, int, int> Work = new(Name, "Work", Number, Number, Number);
    public static readonly RpcStreamMethod<int, int, int> Sum = new(Name, "Sum", RpcMethodKind.ClientStream, Number, Number, Number);
    public static readonly RpcStreamMethod<int, int, int> Scale = new(Name, "Scale", RpcMethodKind.Duplex, Number, Number, Number);

    public static RpcService Service(params RpcHandler[] handlers) => new(Name, handlers);

    public static RpcServer Serve(out string name, params RpcHandler[] handlers) => Serve(out name, null, handlers);

    public static RpcServer Serve(out string name, RpcServerOptions? options, params RpcHandler[] handlers)
    {
        name = TestServer.NewName();
        return RpcServer.Start(name, options, Service(handlers));
    }

    /// <summary>The bytes of a message.</summary>
    public static byte[] Bytes(int value) => RawClient.Varint(1, value);

    /// <summary>The message that the bytes are.</summary>
    public static int Value(byte[] body) => Number.Decode(body);

    public static FrameHeader Request(RpcMethod method, ulong call, ushort credit = 0, byte flags = 0, ulong deadline = 0)
        => new(
            FrameKind.Request, call, credit, method.Id, deadline,
            (byte)(flags | (method.Kind is RpcMethodKind.ClientStream or RpcMethodKind.Duplex ? FrameFlags.ClientStream : 0) | (method.IsOneWay ? FrameFlags.OneWay : 0)));
}
