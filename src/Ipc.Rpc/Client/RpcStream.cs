using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A stream that can be asked for: each enumeration is a call of its own, sent when its first item is asked
/// for.</summary>
internal sealed class RpcStream<TRequest, TItem> : IAsyncEnumerable<TItem>
{
    private readonly ICallRoute _route;
    private readonly StreamTerms<TRequest, TItem> _terms;
    private readonly Func<Upload>? _upload;
    private readonly CancellationToken _cancel;
    private readonly CancellationToken _handler;

    /// <param name="route">Where the calls go.</param>
    /// <param name="terms">What they are.</param>
    /// <param name="upload">Makes the caller's stream of one enumeration; <see langword="null"/> when there is
    /// none.</param>
    /// <param name="cancellationToken">Ends all enumerations.</param>
    /// <param name="handler">So does the token of the handler in which the stream was asked for.</param>
    public RpcStream(
        ICallRoute route,
        StreamTerms<TRequest, TItem> terms,
        Func<Upload>? upload,
        CancellationToken cancellationToken,
        CancellationToken handler)
    {
        _route = route;
        _terms = terms;
        _upload = upload;
        _cancel = cancellationToken;
        _handler = handler;
    }

    public IAsyncEnumerator<TItem> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        => new StreamCall<TRequest, TItem>(
            _route, _terms, _upload?.Invoke(), new CallTokens(_cancel, _handler, cancellationToken));
}
