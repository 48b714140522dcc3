using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>The token of a call: the caller's own, and that of the handler in which the call is made, if it is made in
/// one.</summary>
internal readonly struct CallScope : IDisposable
{
    private readonly CancellationTokenSource? _linked;

    /// <summary>For a call that ends before the handler does: it may borrow the handler's token.</summary>
    [MethodImpl(Tiering.Optimized)]
    public CallScope(CancellationToken cancellationToken)
    {
        _linked = null;
        Token = cancellationToken;
        CancellationToken handler = ServerCall.CurrentToken;
        if (!handler.CanBeCanceled || handler == cancellationToken)
            return;
        if (!cancellationToken.CanBeCanceled)
        {
            Token = handler;
            return;
        }

        _linked = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, handler);
        Token = _linked.Token;
    }

    /// <summary>What the call is cancelled by.</summary>
    public CancellationToken Token { get; }

    /// <summary>The token of the handler here, for a call that outlives the method that makes it and has
    /// <paramref name="cancellationToken"/> besides; none if it is the same.</summary>
    public static CancellationToken HandlerOf(CancellationToken cancellationToken)
    {
        CancellationToken handler = ServerCall.CurrentContext?.Cancellation ?? default;
        return handler == cancellationToken ? default : handler;
    }

    [MethodImpl(Tiering.Optimized)]
    public void Dispose() => _linked?.Dispose();
}
