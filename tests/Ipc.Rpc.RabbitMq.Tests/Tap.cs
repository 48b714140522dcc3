using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Keeps how far ahead of its consumer it was, and how its streams ended.</summary>
public sealed class Tap : ITap
{
    private int _produced;
    private int _ended;
    private int _cancelled;
    private int _consumed;
    private int _dropped;

    public int Dropped => Volatile.Read(ref _dropped);

    public Task DropAsync(byte[] blob, CancellationToken cancel = default)
    {
        Interlocked.Increment(ref _dropped);
        return Task.CompletedTask;
    }

    public int Produced => Volatile.Read(ref _produced);

    public int MostAhead { get; private set; }

    public int Ended => Volatile.Read(ref _ended);

    public int Cancelled => Volatile.Read(ref _cancelled);

    public string? Mark { get; private set; }

    public async IAsyncEnumerable<int> Run(int count, string failure, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        Mark = RpcContext.Current!.RequestMetadata.GetText(RabbitMqMarks.Redelivered);
        RpcContext.Current!.ResponseMetadata.Add("said", "at the end");
        using (cancel.UnsafeRegister(_ => Interlocked.Increment(ref _cancelled), null))
        {
            try
            {
                for (int i = 0; i < count; i++)
                {
                    Count();
                    yield return i;
                    if (i % 100 == 99)
                        await Task.Yield();
                }

                if (failure == "wait")
                    await Task.Delay(Timeout.Infinite, cancel);
                if (failure.Length > 0)
                    throw Enum.TryParse(failure, out RpcStatus status) ? new RpcCallException(status, "no more") : new InvalidOperationException(failure);
            }
            finally
            {
                Interlocked.Increment(ref _ended);
            }
        }
    }

    public async IAsyncEnumerable<byte[]> Blobs(int size, int count, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        for (int i = 0; i < count; i++)
        {
            Count();
            yield return new byte[size];
            await Task.Yield();
        }
    }

    /// <summary>The consumer has one.</summary>
    public void Consume() => Interlocked.Increment(ref _consumed);

    public int Add(int a, int b) => a + b;

    private void Count() => MostAhead = Math.Max(MostAhead, Interlocked.Increment(ref _produced) - Volatile.Read(ref _consumed));
}
