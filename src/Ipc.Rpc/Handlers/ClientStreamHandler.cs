using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A handler that gets a stream and returns a task.</summary>
internal sealed class ClientStreamHandler<TRequest, TIn, TOut> : TaskHandler<TRequest, TOut>
{
    private readonly RpcStreamMethod<TRequest, TIn, TOut> _method;
    private readonly Func<TRequest, IAsyncEnumerable<TIn>, CancellationToken, ValueTask<TOut>> _handler;

    public ClientStreamHandler(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        Func<TRequest, IAsyncEnumerable<TIn>, CancellationToken, ValueTask<TOut>> handler)
        : base(method, RpcMethodKind.ClientStream, method?.Request!, method?.Response!)
    {
        _method = method!;
        _handler = handler ?? throw new ArgumentNullException(nameof(handler));
    }

    private protected override void Prepare(ServerCall call)
    {
        call.Incoming = new IncomingItems<TIn>(call, call.CodecFor(_method.Item), call.Callee.Host.Rules.StreamWindow);
        call.Callee.Track(call);
    }

    private protected override ValueTask<TOut> Call(ServerCall call, TRequest request)
        => _handler(request, (IncomingItems<TIn>)call.Incoming!, call.Token);
}
