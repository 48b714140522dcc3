using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Keeps what it handled, and how that was marked.</summary>
public sealed class Farm(string name) : IFarm
{
    public readonly record struct Handled(string Name, int Number, string? Id, bool IsMarked);

    public ConcurrentQueue<Handled> All { get; init; } = new();

    /// <summary>Runs before a number is handled: what goes wrong there leaves nothing.</summary>
    public Func<CancellationToken, Task>? Before { get; set; }

    /// <summary>Runs when a number has been handled, before its answer.</summary>
    public Func<int, CancellationToken, Task>? After { get; set; }

    public async ValueTask<string> DoAsync(int number, CancellationToken cancel = default)
    {
        if (Before is { } before)
            await before(cancel);
        RpcMetadata metadata = RpcContext.Current!.RequestMetadata;
        Handled handled = new(name, number, metadata.GetText(RabbitMqMarks.MessageId), metadata.GetText(RabbitMqMarks.Redelivered) == "1");
        All.Enqueue(handled);
        if (After is { } after)
            await after(number, cancel);
        return name;
    }

    public ValueTask<string> DoAgainAsync(int number, CancellationToken cancel = default) => DoAsync(number, cancel);

    public async Task NoteAsync(int number, CancellationToken cancel = default) => await DoAsync(number, cancel);
}
