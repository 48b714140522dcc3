using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Each shape of a method that returns a task.</summary>
[IpcService("tasks.v1")]
public interface ITasks
{
    Task<int> ValueAsync(string text, CancellationToken cancel);

    Task PlainAsync(string text, CancellationToken cancel);

    ValueTask<int> PooledAsync(string text, CancellationToken cancel);

    ValueTask PooledPlainAsync(string text, CancellationToken cancel);

    Task<int> UploadAsync(string text, IAsyncEnumerable<string> items, CancellationToken cancel);

    Task<int> ProgressAsync(string text, IProgress<int> progress, CancellationToken cancel);

    [IpcOneWay]
    Task TellAsync(string text, CancellationToken cancel);

    [IpcOneWay]
    ValueTask MentionAsync(string text, CancellationToken cancel);

    Task<Job> EchoAsync(Job job);

    [IpcIdempotent]
    int Read(string text);

    [IpcIdempotent]
    Task<int> ReadTwiceAsync(string text);

    int Add(string text);
}
