using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Tests;

/// <summary>A stream of two items that fails where it is told to.</summary>
internal sealed class Thrower : IAsyncEnumerable<int>, IAsyncEnumerator<int>
{
    private readonly string _place;

    public Thrower(string place) => _place = place;

    public int Current { get; private set; }

    public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

    public async ValueTask<bool> MoveNextAsync()
    {
        await Task.Yield();
        if (_place == "first" || (_place.StartsWith("middle", StringComparison.Ordinal) && Current == 1) || (_place == "after" && Current == 2))
            throw new InvalidOperationException(_place.Split(' ')[0]);
        return Current++ < 2;
    }

    public ValueTask DisposeAsync() => _place.EndsWith("dispose", StringComparison.Ordinal) ? throw new InvalidOperationException("dispose") : default;
}
