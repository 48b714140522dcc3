using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A handler that gets a stream and returns one.</summary>
internal sealed class DuplexHandler<TRequest, TIn, TOut> : RpcHandler<TRequest>
{
    private readonly RpcStreamMethod<TRequest, TIn, TOut> _method;
    private readonly Func<TRequest, IAsyncEnumerable<TIn>, CancellationToken, IAsyncEnumerable<TOut>> _handler;

    public DuplexHandler(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        Func<TRequest, IAsyncEnumerable<TIn>, CancellationToken, IAsyncEnumerable<TOut>> handler)
        : base(method, RpcMethodKind.Duplex, method?.Request!)
    {
        _method = method!;
        _handler = handler ?? throw new ArgumentNullException(nameof(handler));
    }

    private protected override void Prepare(ServerCall call)
    {
        call.Credit = new StreamCredit(call.Header.Code);
        call.Incoming = new IncomingItems<TIn>(call, call.CodecFor(_method.Item), call.Callee.Host.Rules.StreamWindow);
        call.Callee.Track(call);
    }

    private protected override void Run(ServerCall call, TRequest request)
    {
        ServerCall? outer = ServerCall.EnterThread(null);
        _ = ItemPump.Run(
            call, static (call, all) =>
                all._handler(
                    all.Request,
                    (IncomingItems<TIn>)call.Incoming!,
                    call.Token), (_handler, Request: request), _method.Response);
        ServerCall.LeaveThread(outer);
    }
}
