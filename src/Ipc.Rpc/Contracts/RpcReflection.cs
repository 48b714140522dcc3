using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Asks the other side of a connection which methods it has: a server, or in a handler the client, if that
/// offers services.</summary>
/// <remarks>Every server has the method that is called, <c>ipc.reflection.v1/List</c>, unless a service of its own has
/// one with that id (docs/rpc-protocol.md, section 8). It is an ordinary call: interceptors see it and may refuse it,
/// limits apply to it. Servers at a RabbitMQ broker have it, too.</remarks>
public static class RpcReflection
{
    /// <summary>What a peer may name: a message that names more is refused, so that it does not take many times its
    /// size in memory.</summary>
    internal const int MaxMethods = 65_536;

    private const uint MethodTag = (1 << 3) | 2;
    private const uint ServiceTag = (1 << 3) | 2;
    private const uint NameTag = (2 << 3) | 2;
    private const uint KindTag = 3 << 3;
    private const uint OneWayTag = 4 << 3;
    private const uint OnceTag = 5 << 3;
    private const uint IdempotentTag = 6 << 3;

    /// <summary>The messages are protobuf in all formats, so that no serializer has to know them.</summary>
    internal static readonly RpcMethod<RpcEmpty, IReadOnlyList<RpcMethodInfo>> List = new(
        "ipc.reflection.v1",
        "List",
        RpcMethodKind.Unary,
        new MessageCodec<RpcEmpty>("Empty", RpcEmpty.Codec.Write, RpcEmpty.Codec.Read, isProtobufAlways: true),
        new MessageCodec<IReadOnlyList<RpcMethodInfo>>("Methods", Write, Read, isProtobufAlways: true),
        isIdempotent: true);

    /// <summary>Calls the method. Await the result exactly once.</summary>
    /// <param name="caller">Who is asked: an <see cref="RpcClient"/> asks its server, the
    /// <see cref="RpcContext.Caller"/> of a handler asks the client.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    /// <returns>The methods, in the order that the peer gave them: by service, then by name. The method that is called
    /// here is not among them, and neither are methods of a kind that this version does not know.</returns>
    /// <remarks>What comes is what the peer says, and may be wrong: names may be any text, empty or twice.</remarks>
    /// <exception cref="RpcCallException">The call failed, as any call may. <see cref="RpcStatus.Unimplemented"/>: the
    /// peer is of an earlier version, or a client without services. <see cref="RpcStatus.Internal"/>: the answer is no
    /// such message, or names more than 65,536 methods.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    public static ValueTask<IReadOnlyList<RpcMethodInfo>> ListAsync(
        RpcCaller caller, CancellationToken cancellationToken = default)
        => (caller ?? throw new ArgumentNullException(nameof(caller))).CallAsync(List, default, cancellationToken);

    private static void Write(ref ProtoWriter writer, in IReadOnlyList<RpcMethodInfo> methods)
    {
        foreach (RpcMethodInfo method in methods)
        {
            int start = writer.StartMessage(MethodTag);
            if (method.Service.Length != 0)
                writer.WriteString(ServiceTag, method.Service);
            if (method.Name.Length != 0)
                writer.WriteString(NameTag, method.Name);
            if (method.Kind != default)
                writer.WriteInt32(KindTag, (int)method.Kind);
            if (method.IsOneWay)
                writer.WriteBool(OneWayTag, true);
            if (method.IsOnce)
                writer.WriteBool(OnceTag, true);
            if (method.IsIdempotent)
                writer.WriteBool(IdempotentTag, true);
            writer.EndMessage(start);
        }
    }

    private static List<RpcMethodInfo> Read(ref ProtoReader reader)
    {
        var methods = new List<RpcMethodInfo>();
        int named = 0;
        while (reader.TryReadTag(out uint tag))
        {
            if (tag != MethodTag)
            {
                reader.SkipField(tag);
                continue;
            }

            if (++named > MaxMethods)
            {
                throw new ProtoException(
                    ProtoError.InvalidValue, reader.Position, "More than " + MaxMethods + " methods are named");
            }

            if (ReadMethod(ref reader) is { } method)
                methods.Add(method);
        }

        return methods;
    }

    /// <returns><see langword="null"/> for a kind that is not known here.</returns>
    private static RpcMethodInfo? ReadMethod(ref ProtoReader reader)
    {
        string service = string.Empty, name = string.Empty;
        int kind = 0;
        bool isOneWay = false, isOnce = false, isIdempotent = false;
        int outer = reader.StartMessage();
        while (reader.TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case ServiceTag:
                    service = reader.ReadString();
                    break;
                case NameTag:
                    name = reader.ReadString();
                    break;
                case KindTag:
                    kind = reader.ReadInt32();
                    break;
                case OneWayTag:
                    isOneWay = reader.ReadBool();
                    break;
                case OnceTag:
                    isOnce = reader.ReadBool();
                    break;
                case IdempotentTag:
                    isIdempotent = reader.ReadBool();
                    break;
                default:
                    reader.SkipField(tag);
                    break;
            }
        }

        reader.EndMessage(outer);
        return kind is >= (int)RpcMethodKind.Unary and <= (int)RpcMethodKind.Duplex
            ? new RpcMethodInfo(service, name, (RpcMethodKind)kind, isOneWay, isOnce, isIdempotent)
            : null;
    }
}
