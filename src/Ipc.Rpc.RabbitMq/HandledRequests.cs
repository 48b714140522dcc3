using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// A request that is delivered again has the same message id, and is the same in all else: its id alone would do for our
// own clients, but anybody may number his messages 1, 2, 3. One whose first delivery is still being handled waits for
// that: the connection that it came on may have gone, and its handler has not.

/// <summary>Requests that this server has handled lately, and what it answered.</summary>
/// <param name="window">For how long.</param>
/// <param name="most">How many bytes of answers, and of what goes with them.</param>
internal sealed class HandledRequests(TimeSpan window, long most)
{
    private const int BytesOfEntry = 400;

    private readonly object _gate = new();
    private readonly Dictionary<Key, Task<Outcome>> _known = new();
    private readonly Queue<(Key Key, Deadline Until, long Bytes)> _order = new(); // those that are over
    private long _bytes;
    private long _repetitions;

    /// <summary>Requests that needed no handler.</summary>
    public long Repetitions => Interlocked.Read(ref _repetitions);

    /// <summary>What a request comes to: <paramref name="handle"/> is called if it is not known.</summary>
    public Task<Outcome> RunAsync(Request request, Func<Task<Outcome>> handle)
    {
        Key key = new(request.MessageId, request.Method, Convert.ToHexString(SHA256.HashData(request.Body)));
        TaskCompletionSource<Outcome> mine = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            Forget();
            if (_known.TryGetValue(key, out Task<Outcome>? known))
            {
                Interlocked.Increment(ref _repetitions);
                return known;
            }

            _known[key] = mine.Task;
        }

        _ = HandleAsync(key, mine, handle);
        return mine.Task;
    }

    private async Task HandleAsync(Key key, TaskCompletionSource<Outcome> mine, Func<Task<Outcome>> handle)
    {
        try
        {
            Outcome outcome = await handle().ConfigureAwait(false);
            lock (_gate)
            {
                if (outcome.Failure is not null)
                    _known.Remove(key); // it may be made again for that
                else
                    Keep(key, outcome);
            }

            mine.SetResult(outcome);
        }
#pragma warning disable CA1031 // whoever waits for it has it
        catch (Exception e)
#pragma warning restore CA1031
        {
            lock (_gate)
                _known.Remove(key);
            mine.SetException(e);
            _ = mine.Task.Exception; // perhaps nobody does
        }
    }

    /// <summary>Under the lock.</summary>
    private void Keep(Key key, Outcome outcome)
    {
        long bytes = outcome.Body.Length + BytesOfEntry;
        if (outcome.Metadata is { } metadata)
        {
            foreach ((string name, ReadOnlyMemory<byte> value) in metadata)
                bytes += name.Length + value.Length + BytesOfEntry;
        }

        _order.Enqueue((key, Deadline.After(window), bytes));
        _bytes += bytes;
        Forget();
    }

    /// <summary>Under the lock: those that are too old or too many.</summary>
    private void Forget()
    {
        while (_order.TryPeek(out (Key Key, Deadline Until, long Bytes) oldest) &&
            (_bytes > most || oldest.Until.HasPassed))
        {
            _order.Dequeue();
            _bytes -= oldest.Bytes;
            _known.Remove(oldest.Key);
        }
    }

    private readonly record struct Key(string Id, string Method, string Body);
}
