using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Tests;

/// <summary>A stream of 1, 2, 3, ... that says what became of it.</summary>
internal sealed class Source : IAsyncEnumerable<int>
{
    private readonly int _count;
    private readonly Func<int, CancellationToken, ValueTask>? _before;
    private int _produced;
    private int _disposed;
    private int _cancelled;

    /// <param name="count">How many items; -1 for no end.</param>
    /// <param name="before">Runs before each item.</param>
    public Source(int count, Func<int, CancellationToken, ValueTask>? before = null)
    {
        _count = count;
        _before = before;
    }

    public int Produced => Volatile.Read(ref _produced);

    public bool IsDisposed => Volatile.Read(ref _disposed) == 1; // more than once is wrong, too

    public bool IsCancelled => Volatile.Read(ref _cancelled) != 0;

    public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default) => new Items(this, cancellationToken);

    private sealed class Items : IAsyncEnumerator<int>
    {
        private readonly Source _source;
        private readonly CancellationToken _cancel;
        private readonly CancellationTokenRegistration _registration;

        public Items(Source source, CancellationToken cancel)
        {
            _source = source;
            _cancel = cancel;
            _registration = cancel.Register(() => Volatile.Write(ref source._cancelled, 1));
        }

        public int Current { get; private set; }

        public async ValueTask<bool> MoveNextAsync()
        {
            if (Current == _source._count)
                return false;
            if (_source._before is { } before)
                await before(Current + 1, _cancel);
            Current++;
            Interlocked.Increment(ref _source._produced);
            return true;
        }

        public ValueTask DisposeAsync()
        {
            _registration.Dispose();
            Interlocked.Increment(ref _source._disposed);
            return default;
        }
    }
}
