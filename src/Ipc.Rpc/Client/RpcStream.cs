using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A stream that can be asked for: each enumeration is a call of its own, sent when its first item is asked for.</summary>
internal sealed class RpcStream<TRequest, TItem> : IAsyncEnumerable<TItem>
{
    private readonly ClientSession _session;
    private readonly RpcMethod<TRequest, TItem> _method;
    private readonly TRequest _request;
    private readonly CancellationToken _cancel;

    public RpcStream(ClientSession session, RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancel)
    {
        _session = session;
        _method = method;
        _request = request;
        _cancel = cancel;
    }

    public IAsyncEnumerator<TItem> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        => new StreamCall<TRequest, TItem>(_session, _method, _request, _cancel, cancellationToken);
}
