using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Checks that numbers come in order, and keeps how its streams ended: above all, which of them it took for whole ones.</summary>
public sealed class Sink : ISink
{
    private int _begun;
    private int _seen;
    private int _whole;
    private int _ended;
    private int _cancelled;

    /// <summary>What a handler that holds waits for.</summary>
    public TaskCompletionSource Gate { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public int Begun => Volatile.Read(ref _begun);

    public int Seen => Volatile.Read(ref _seen);

    /// <summary>How many streams came to their end.</summary>
    public int Whole => Volatile.Read(ref _whole);

    public int Ended => Volatile.Read(ref _ended);

    public int Cancelled => Volatile.Read(ref _cancelled);

    public string? Mark { get; private set; }

    public async Task<long> TakeAsync(string how, IAsyncEnumerable<int> items, CancellationToken cancel = default)
    {
        RpcContext.Current!.ResponseMetadata.Add("said", "at the end");
        Begin();
        try
        {
            if (how == "hold")
                await Gate.Task.WaitAsync(cancel);
            long sum = 0;
            int count = 0;
            await foreach (int item in items.WithCancellation(cancel))
            {
                sum += See(item, ++count);
                if (count == 3 && IsEnough(how))
                    return sum;
            }

            Interlocked.Increment(ref _whole);
            if (how == "wait")
                await Task.Delay(Timeout.Infinite, cancel);
            return sum;
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref _cancelled);
            throw;
        }
        finally
        {
            Interlocked.Increment(ref _ended);
        }
    }

    public async Task<long> WeighAsync(string how, IAsyncEnumerable<byte[]> items, CancellationToken cancel = default)
    {
        Begin();
        try
        {
            if (how == "hold")
                await Gate.Task.WaitAsync(cancel);
            long bytes = 0;
            await foreach (byte[] item in items.WithCancellation(cancel))
            {
                Interlocked.Increment(ref _seen);
                bytes += item.Length;
            }

            Interlocked.Increment(ref _whole);
            return bytes;
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref _cancelled);
            throw;
        }
        finally
        {
            Interlocked.Increment(ref _ended);
        }
    }

    public async IAsyncEnumerable<int> Echo(string how, IAsyncEnumerable<int> items, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        Begin();
        using (cancel.UnsafeRegister(_ => Interlocked.Increment(ref _cancelled), null))
        {
            try
            {
                if (how == "hold")
                    await Gate.Task.WaitAsync(cancel);
                int count = 0;
                await foreach (int item in items.WithCancellation(cancel))
                {
                    yield return See(item, ++count);
                    if (count == 3 && IsEnough(how))
                        yield break;
                }

                Interlocked.Increment(ref _whole);
                if (how == "wait")
                    await Task.Delay(Timeout.Infinite, cancel);
            }
            finally
            {
                Interlocked.Increment(ref _ended);
            }
        }
    }

    private void Begin()
    {
        Mark = RpcContext.Current!.RequestMetadata.GetText(RabbitMqMarks.Redelivered);
        Interlocked.Increment(ref _begun);
    }

    private int See(int item, int count)
    {
        if (item != count)
            throw new InvalidDataException($"{item} came where {count} had to");
        Interlocked.Increment(ref _seen);
        return item;
    }

    private static bool IsEnough(string how) => how switch
    {
        "" or "hold" or "wait" => false,
        "three" => true,
        _ when Enum.TryParse(how, out RpcStatus status) => throw new RpcCallException(status, "three are enough"),
        _ => throw new InvalidOperationException(how),
    };
}
