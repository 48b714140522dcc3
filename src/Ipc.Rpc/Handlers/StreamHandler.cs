using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A handler that returns a stream.</summary>
internal sealed class StreamHandler<TRequest, TItem> : RpcHandler<TRequest>
{
    private readonly RpcMethod<TRequest, TItem> _method;
    private readonly Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> _handler;

    public StreamHandler(
        RpcMethod<TRequest, TItem> method, Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> handler)
        : base(method, RpcMethodKind.ServerStream, method?.Request!)
    {
        _method = method!;
        _handler = handler ?? throw new ArgumentNullException(nameof(handler));
    }

    private protected override void Prepare(ServerCall call)
    {
        call.Credit = new StreamCredit(call.Header.Code);
        call.Callee.Track(call);
    }

    private protected override void Run(ServerCall call, TRequest request)
    {
        ServerCall? outer = ServerCall.EnterThread(null);
        _ = ItemPump.Run(
            call,
            static (call, all) => all._handler(all.Request, call.Token),
            (_handler, Request: request),
            _method.Response);
        ServerCall.LeaveThread(outer);
    }
}
