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

    private sealed class Waiting : IAsyncEnumerator<TItem>
    {
        private readonly ReadyStream<TItem> _owner;
        private readonly CancellationToken _cancel;
        private IAsyncEnumerator<TItem>? _items;

        public Waiting(ReadyStream<TItem> owner, CancellationToken cancellationToken)
        {
            _owner = owner;
            _cancel = cancellationToken;
        }

        public TItem Current => _items is null ? default! : _items.Current;

        public ValueTask<bool> MoveNextAsync() => _items?.MoveNextAsync() ?? FirstAsync();

        public ValueTask DisposeAsync() => _items?.DisposeAsync() ?? default;

        private async ValueTask<bool> FirstAsync()
        {
            using (var either = CancellationTokenSource.CreateLinkedTokenSource(_owner._cancel, _cancel))
                await _owner._getReady(either.Token).ConfigureAwait(false);
            _items = _owner._stream.GetAsyncEnumerator(_cancel);
            return await _items.MoveNextAsync().ConfigureAwait(false);
        }
    }
}
