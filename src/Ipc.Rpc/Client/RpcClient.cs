using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Stub.</summary>
public sealed class RpcClient
{
    /// <summary>Stub.</summary>
    public TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancel = default) => throw new NotSupportedException();
    /// <summary>Stub.</summary>
    public ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancel = default) => throw new NotSupportedException();
    /// <summary>Stub.</summary>
    public IAsyncEnumerable<TItem> Stream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancel = default) => throw new NotSupportedException();
}
