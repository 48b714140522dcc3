using System;
using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Rpc;
using Ipc.Rpc.Generator;

namespace Ipc.Grpc;

/// <summary>Answers the calls of a contract's gRPC service by calls to an Ipc server.</summary>
/// <remarks>It holds no thread while a call is under way. A stream is read as its other side takes it.</remarks>
internal sealed class Gateway(RpcClient client, GatewayContract contract, bool sendsExceptions)
{
    /// <summary>The service, for gRPC's server.</summary>
    public ServerServiceDefinition Define()
    {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.CreateBuilder();
        foreach ((string name, ProtoRpc rpc) in contract.Methods)
            Define(service, name, rpc);
        return service.Build();
    }

    private void Define(ServerServiceDefinition.Builder service, string name, ProtoRpc rpc)
    {
        MethodType type = GatewayContract.TypeOf(rpc);
        Method<Payload, Payload> method = new(type, contract.FullName, name, Payload.Marshaller, Payload.Marshaller);
        switch (type)
        {
            case MethodType.Unary when rpc.IsOneWay:
                RpcMethod<Payload, RpcEmpty> oneWay = new(
                    contract.Service, name, RpcMethodKind.Unary, Payload.Codec, RpcEmpty.Codec, isOneWay: true);
                service.AddMethod(method, (request, context) => Notify(oneWay, request, context));
                break;
            case MethodType.Unary:
                RpcMethod<Payload, Payload> unary = Plain(name, RpcMethodKind.Unary);
                service.AddMethod(method, (request, context) => Call(unary, request, context));
                break;
            case MethodType.ServerStreaming:
                RpcMethod<Payload, Payload> down = Plain(name, RpcMethodKind.ServerStream);
                service.AddMethod(method, (request, items, context) => Stream(down, request, items, context));
                break;
            case MethodType.ClientStreaming:
                RpcStreamMethod<Payload, Payload, Payload> up = Streaming(name, RpcMethodKind.ClientStream);
                service.AddMethod(method, (items, context) => Upload(up, items, context));
                break;
            default:
                RpcStreamMethod<Payload, Payload, Payload> both = Streaming(name, RpcMethodKind.Duplex);
                service.AddMethod(method, (items, answers, context) => Duplex(both, items, answers, context));
                break;
        }
    }

    private RpcMethod<Payload, Payload> Plain(string name, RpcMethodKind kind) =>
        new(contract.Service, name, kind, Payload.Codec, Payload.Codec);

    private RpcStreamMethod<Payload, Payload, Payload> Streaming(string name, RpcMethodKind kind) =>
        new(contract.Service, name, kind, Payload.Codec, Payload.Codec, Payload.Codec);

    private async Task<Payload> Call(
        RpcMethod<Payload, Payload> method, Payload request, ServerCallContext context)
    {
        using (request)
        {
            GatewayCall call = new(context, sendsExceptions);
            try
            {
                return await call.Begin(client).CallAsync(method, request, call.Cancelled).ConfigureAwait(false);
            }
            catch (Exception e) when (call.Translate(e) is { } told)
            {
                throw told;
            }
        }
    }

    private async Task<Payload> Notify(
        RpcMethod<Payload, RpcEmpty> method, Payload request, ServerCallContext context)
    {
        using (request)
        {
            GatewayCall call = new(context, sendsExceptions);
            try
            {
                await call.Begin(client).NotifyAsync(method, request, call.Cancelled).ConfigureAwait(false);
                return Payload.Empty;
            }
            catch (Exception e) when (call.Translate(e) is { } told)
            {
                throw told;
            }
        }
    }

    private async Task Stream(
        RpcMethod<Payload, Payload> method,
        Payload request,
        IServerStreamWriter<Payload> items,
        ServerCallContext context)
    {
        using (request)
        {
            GatewayCall call = new(context, sendsExceptions);
            try
            {
                await foreach (Payload item in
                    call.Begin(client).Stream(method, request, call.Cancelled).ConfigureAwait(false))
                {
                    await items.WriteAsync(item, call.Cancelled).ConfigureAwait(false);
                }
            }
            catch (Exception e) when (call.Translate(e) is { } told)
            {
                throw told;
            }
        }
    }

    private async Task<Payload> Upload(
        RpcStreamMethod<Payload, Payload, Payload> method,
        IAsyncStreamReader<Payload> items,
        ServerCallContext context)
    {
        GatewayCall call = new(context, sendsExceptions);
        RequestItems source = new(items);
        try
        {
            using Payload request = call.StreamRequest();
            return await call.Begin(client).ClientStream(method, request, source, call.Cancelled).ConfigureAwait(false);
        }
        catch (Exception e) when (call.Translate(e) is { } told)
        {
            throw told;
        }
        finally
        {
            await source.EndAsync().ConfigureAwait(false);
        }
    }

    private async Task Duplex(
        RpcStreamMethod<Payload, Payload, Payload> method,
        IAsyncStreamReader<Payload> items,
        IServerStreamWriter<Payload> answers,
        ServerCallContext context)
    {
        GatewayCall call = new(context, sendsExceptions);
        RequestItems source = new(items);
        try
        {
            using Payload request = call.StreamRequest();
            await foreach (Payload answer in
                call.Begin(client).Duplex(method, request, source, call.Cancelled).ConfigureAwait(false))
            {
                await answers.WriteAsync(answer, call.Cancelled).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (call.Translate(e) is { } told)
        {
            throw told;
        }
        finally
        {
            await source.EndAsync().ConfigureAwait(false);
        }
    }
}
