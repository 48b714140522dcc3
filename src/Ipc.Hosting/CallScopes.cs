using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>A scope of dependency injection for each call of a server that needs one: made when the call's object is asked for, disposed when the call is over.</summary>
/// <remarks>A call is over when its handler has returned, its task or stream has ended, and never before, whatever its caller does meanwhile.</remarks>
internal sealed class CallScopes : RpcServerInterceptor
{
    private readonly IServiceScopeFactory _factory;
    private readonly string _server;
    private readonly ILogger _logger;
    private readonly ConcurrentDictionary<RpcContext, AsyncServiceScope> _scopes = new();
    private TaskCompletionSource<bool>? _drained;
    private int _disposing; // scopes whose disposal has not ended

    public CallScopes(IServiceScopeFactory factory, string server, ILogger logger)
    {
        _factory = factory;
        _server = server;
        _logger = logger;
    }

    /// <summary>The object that handles the present call.</summary>
    public T Resolve<T>()
        where T : class
    {
        RpcContext context = RpcContext.Current ?? throw new InvalidOperationException("There is no call here that a scope could be made for.");
        AsyncServiceScope scope = _factory.CreateAsyncScope();
        _scopes[context] = scope; // before anything can throw: Completed disposes it
        return scope.ServiceProvider.GetRequiredService<T>();
    }

    public override void Completed(RpcContext context, RpcStatus status, Exception? exception)
    {
        if (!_scopes.TryRemove(context, out AsyncServiceScope scope))
            return;

        Interlocked.Increment(ref _disposing);
        _ = DisposeAsync(scope, context.Method);
    }

    /// <summary>Waits for scopes that are still being disposed; calls are over by then.</summary>
    public async Task DrainAsync(CancellationToken cancellationToken)
    {
        var drained = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Volatile.Write(ref _drained, drained);
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _disposing) == 0)
            return;
        using (cancellationToken.Register(static state => ((TaskCompletionSource<bool>)state!).TrySetResult(false), drained))
            await drained.Task.ConfigureAwait(false);
    }

    private async Task DisposeAsync(AsyncServiceScope scope, RpcMethod method)
    {
        try
        {
            await scope.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the call is over: this is the only place where it can be told
        catch (Exception e)
#pragma warning restore CA1031
        {
            IpcLog.ScopeFailed(_logger, method.FullName, _server, e);
        }

        if (Interlocked.Decrement(ref _disposing) == 0)
            Volatile.Read(ref _drained)?.TrySetResult(true);
    }
}
