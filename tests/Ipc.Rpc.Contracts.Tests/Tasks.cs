using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Answers with lengths, and counts calls; fails as often as it is told to.</summary>
internal sealed class Tasks : ITasks
{
    private int _calls;
    private int _failures;

    public int Calls => Volatile.Read(ref _calls);

    /// <summary>The next so many calls fail with Unavailable.</summary>
    public void Fail(int times) => Volatile.Write(ref _failures, times);

    public Task<int> ValueAsync(string text, CancellationToken cancel) => Task.FromResult(Count(text));

    public Task PlainAsync(string text, CancellationToken cancel) => Task.FromResult(Count(text));

    public ValueTask<int> PooledAsync(string text, CancellationToken cancel) => new(Count(text));

    public ValueTask PooledPlainAsync(string text, CancellationToken cancel) => new(Task.FromResult(Count(text)));

    public async Task<int> UploadAsync(string text, IAsyncEnumerable<string> items, CancellationToken cancel)
    {
        await foreach (string item in items.WithCancellation(cancel))
            text += item;
        return Count(text);
    }

    public Task<int> ProgressAsync(string text, IProgress<int> progress, CancellationToken cancel) => Task.FromResult(Count(text));

    public Task TellAsync(string text, CancellationToken cancel) => Task.FromResult(Count(text));

    public ValueTask MentionAsync(string text, CancellationToken cancel) => new(Task.FromResult(Count(text)));

    public Task<Job> EchoAsync(Job job) => Task.FromResult(job);

    public int Read(string text) => Count(text);

    public Task<int> ReadTwiceAsync(string text) => Task.FromResult(Count(text));

    public int Add(string text) => Count(text);

    private int Count(string text)
    {
        Interlocked.Increment(ref _calls);
        return Interlocked.Decrement(ref _failures) >= 0 ? throw new RpcCallException(RpcStatus.Unavailable, "not now") : text.Length;
    }
}
