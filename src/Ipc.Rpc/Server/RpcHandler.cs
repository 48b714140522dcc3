using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Stub.</summary>
public sealed class RpcService
{
    /// <summary>Stub.</summary>
    public RpcService(string name, IReadOnlyList<RpcHandler> handlers) { }
}

/// <summary>Stub.</summary>
public abstract class RpcHandler
{
    /// <summary>Stub.</summary>
    public static RpcHandler Unary<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, TResponse> handler) => throw new NotSupportedException();
    /// <summary>Stub.</summary>
    public static RpcHandler UnaryAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, Func<TRequest, CancellationToken, ValueTask<TResponse>> handler) => throw new NotSupportedException();
    /// <summary>Stub.</summary>
    public static RpcHandler ServerStream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> handler) => throw new NotSupportedException();
}
