using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A handler that reports progress and returns a task.</summary>
internal sealed class ProgressHandler<TRequest, TResponse, TProgress> : TaskHandler<TRequest, TResponse>
{
    private readonly RpcProgressMethod<TRequest, TResponse, TProgress> _method;
    private readonly Func<TRequest, IProgress<TProgress>, CancellationToken, ValueTask<TResponse>> _handler;

    public ProgressHandler(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        Func<TRequest, IProgress<TProgress>, CancellationToken, ValueTask<TResponse>> handler)
        : base(method, RpcMethodKind.Unary, method?.Request!, method?.Response!)
    {
        _method = method!;
        _handler = handler ?? throw new ArgumentNullException(nameof(handler));
    }

    private protected override void Prepare(ServerCall call) => call.Keep(); // the reporter has it

    private protected override ValueTask<TResponse> Call(ServerCall call, TRequest request)
        => _handler(request, new ProgressReporter<TProgress>(call, call.CodecFor(_method.Progress)), call.Token);
}
