using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// A message passes as it is: neither side of a gateway knows its type. Deadline, token and trace are the handler's, and
// so come along by themselves; metadata are handed on in both directions here.

/// <summary>Handlers that call the same method of the same service elsewhere.</summary>
internal sealed class ImportedService(RabbitMqCaller caller, Action handed)
{
    /// <summary>One service for each name.</summary>
    public RpcService[] Of(IEnumerable<RpcMethodInfo> methods) =>
    [
        .. methods.GroupBy(static method => method.Service, StringComparer.Ordinal)
            .Select(service => new RpcService(service.Key, [.. service.Select(Of)])),
    ];

    private RpcHandler Of(RpcMethodInfo info)
    {
        if (info.Kind is RpcMethodKind.ClientStream or RpcMethodKind.Duplex)
        {
            RpcStreamMethod<byte[], byte[], byte[]> stream = new(
                info.Service, info.Name, info.Kind, Wire.Bytes, Wire.Bytes, Wire.Bytes);
            return info.Kind == RpcMethodKind.ClientStream
                ? RpcHandler.ClientStream(
                    stream, (request, items, cancel) => View().ClientStream(stream, request, items, cancel))
                : RpcHandler.Duplex(stream, (request, items, cancel) => View().Duplex(stream, request, items, cancel));
        }

        if (info.IsOneWay)
        {
            RpcMethod<byte[], RpcEmpty> oneWay = new(
                info.Service, info.Name, info.Kind, Wire.Bytes, RpcEmpty.Codec, true, info.IsIdempotent);
            return RpcHandler.OneWayAsync(oneWay, (request, cancel) => View().NotifyAsync(oneWay, request, cancel));
        }

        RpcMethod<byte[], byte[]> method = new(
            info.Service, info.Name, info.Kind, Wire.Bytes, Wire.Bytes, false, info.IsIdempotent);
        return info.Kind == RpcMethodKind.ServerStream
            ? RpcHandler.ServerStream(method, (request, cancel) => View().Stream(method, request, cancel))
            : RpcHandler.UnaryAsync(method, (request, cancel) => View().CallAsync(method, request, cancel));
    }

    /// <summary>On the handler's thread, at its beginning.</summary>
    private RabbitMqCaller View()
    {
        handed();
        RpcContext context = RpcContext.Current!;
        RabbitMqCaller view = caller.WithAnswer(answer =>
        {
            foreach ((string key, ReadOnlyMemory<byte> value) in answer)
                context.ResponseMetadata.Add(key, value);
        });
        return context.RequestMetadata.Count == 0 ? view : view.With(context.RequestMetadata);
    }
}
