using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A stream whose first item is asked for when there is a server.</summary>
internal sealed class ReadyStream<TItem> : IAsyncEnumerable<TItem>
{
    private readonly IAsyncEnumerable<TItem> _stream;
    private readonly Func<bool> _isReady;
    private readonly Func<CancellationToken, Task> _getReady;
    private readonly CancellationToken _cancel;

    public ReadyStream(
        IAsyncEnumerable<TItem> stream,
        Func<bool> isReady,
        Func<CancellationToken, Task> getReady,
        CancellationToken cancellationToken)
    {
        _stream = stream;
        _isReady = isReady;
        _getReady = getReady;
        _cancel = cancellationToken;
    }

    public IAsyncEnumerator<TItem> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        => _isReady() ? _stream.GetAsyncEnumerator(cancellationToken) : new Waiting(this, cancellationToken);

    // It may be disposed while its first item is waited for, as a stream that has begun: the wait ends, and no stream
    // begins that nobody would end.
#pragma warning disable CA1001 // it is disposable; what ends its wait has neither a timer nor a handle
    private sealed class Waiting : IAsyncEnumerator<TItem>
#pragma warning restore CA1001
    {
        private readonly ReadyStream<TItem> _owner;
        private readonly CancellationToken _cancel;
        private readonly CancellationTokenSource _ending = new();
        private readonly object _gate = new();
        private IAsyncEnumerator<TItem>? _items;
        private bool _isDisposed;

        public Waiting(ReadyStream<TItem> owner, CancellationToken cancellationToken)
        {
            _owner = owner;
            _cancel = cancellationToken;
        }

        public TItem Current => _items is null ? default! : _items.Current;

        public ValueTask<bool> MoveNextAsync() => _items?.MoveNextAsync() ?? FirstAsync();

        public ValueTask DisposeAsync()
        {
            lock (_gate)
            {
                if (_items is { } items)
                    return items.DisposeAsync();
                if (_isDisposed)
                    return default;
                _isDisposed = true;
            }

            // what comes after the wait does not run here
            ThreadPool.UnsafeQueueUserWorkItem(static source => ((CancellationTokenSource)source!).Cancel(), _ending);
            return default;
        }

        private async ValueTask<bool> FirstAsync()
        {
            if (IsDisposed)
                return false;
            try
            {
                using var any = CancellationTokenSource.CreateLinkedTokenSource(
                    _owner._cancel, _cancel, _ending.Token);
                await _owner._getReady(any.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException e) when (
                IsDisposed && !_owner._cancel.IsCancellationRequested && !_cancel.IsCancellationRequested)
            {
                throw Disposed(e);
            }

            IAsyncEnumerator<TItem> items;
            lock (_gate)
            {
                if (_isDisposed)
                    throw Disposed(null);
                items = _items = _owner._stream.GetAsyncEnumerator(_cancel);
            }

            return await items.MoveNextAsync().ConfigureAwait(false);
        }

        private bool IsDisposed
        {
            get
            {
                lock (_gate)
                    return _isDisposed;
            }
        }

        private static RpcCallException Disposed(Exception? inner)
            => new(RpcStatus.Cancelled, null, "The stream was disposed while it waited for its server.", inner);
    }
}
