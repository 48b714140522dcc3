using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// A request that is delivered again has the same message id, and is the same in all else: its id alone would do for our
// own clients, but anybody may number his messages 1, 2, 3, and nobody may get what another one was answered. So the
// metadata count, too, and a request without the mark of a repetition is none. One whose first delivery is still being
// handled waits for that: the connection that it came on may have gone, and its handler has not.

/// <summary>Requests that this server has handled lately, and what it answered.</summary>
/// <param name="window">For how long.</param>
/// <param name="most">How many bytes of answers, and of what goes with them.</param>
internal sealed class HandledRequests(TimeSpan window, long most)
{
    private const int BytesOfEntry = 400;

    private readonly object _gate = new();
    private readonly Dictionary<Key, Task<Outcome>> _known = new();
    private readonly Dictionary<Key, CancellationTokenSource> _running = new();
    private readonly Queue<(Key Key, Deadline Until, long Bytes)> _order = new(); // those that are over
    private long _bytes;
    private long _repetitions;

    /// <summary>Requests that needed no handler.</summary>
    public long Repetitions => Interlocked.Read(ref _repetitions);

    /// <summary>Requests whose handlers run.</summary>
    public int Running
    {
        get
        {
            lock (_gate)
                return _running.Count;
        }
    }

    /// <summary>What a request comes to: <paramref name="handle"/> is called if it is not known. It gets a token that
    /// fires when the request is cancelled.</summary>
    public Task<Outcome> RunAsync(Request request, Func<CancellationToken, Task<Outcome>> handle)
    {
        Key key = new(request.MessageId, request.Method, DigestOf(request));
        TaskCompletionSource<Outcome> mine = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CancellationTokenSource stop = new(); // not disposed: somebody may cancel it when it is over
        lock (_gate)
        {
            Forget();
            if (_known.TryGetValue(key, out Task<Outcome>? known))
            {
                if (!request.IsRepeated)
                    return handle(stop.Token); // another one, with the same number
                Interlocked.Increment(ref _repetitions);
                return known;
            }

            _known[key] = mine.Task;
            _running[key] = stop;
        }

        _ = HandleAsync(key, mine, handle, stop);
        return mine.Task;
    }

    /// <summary>The client of the request with this id waits for it no more.</summary>
    public void Cancel(string id)
    {
        CancellationTokenSource[] its;
        lock (_gate)
            its = [.. _running.Where(one => one.Key.Id == id).Select(static one => one.Value)];
        foreach (CancellationTokenSource one in its)
        {
            try
            {
                one.Cancel();
            }
            catch (AggregateException)
            {
                // a handler's own registration threw
            }
        }
    }

    private async Task HandleAsync(
        Key key, TaskCompletionSource<Outcome> mine, Func<CancellationToken, Task<Outcome>> handle,
        CancellationTokenSource stop)
    {
        try
        {
            Outcome outcome = await handle(stop.Token).ConfigureAwait(false);
            lock (_gate)
            {
                _running.Remove(key);
                if (outcome.Failure is not null || !TryKeep(key, outcome))
                    _known.Remove(key); // it may be made again for that
            }

            mine.SetResult(outcome);
        }
#pragma warning disable CA1031 // whoever waits for it has it
        catch (Exception e)
#pragma warning restore CA1031
        {
            lock (_gate)
            {
                _running.Remove(key);
                _known.Remove(key);
            }

            mine.SetException(e);
            _ = mine.Task.Exception; // perhaps nobody does
        }
    }

    /// <summary>Under the lock.</summary>
    private bool TryKeep(Key key, Outcome outcome)
    {
        long bytes = outcome.Body.Length + BytesOfEntry;
        if (outcome.Metadata is { } metadata)
        {
            foreach ((string name, ReadOnlyMemory<byte> value) in metadata)
                bytes += name.Length + value.Length + BytesOfEntry;
        }

        if (bytes > most)
            return false; // it would take the place of all others
        _order.Enqueue((key, Deadline.After(window), bytes));
        _bytes += bytes;
        Forget();
        return true;
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

    private static string DigestOf(Request request)
    {
        using MemoryStream all = new();
        using (BinaryWriter writer = new(all, Encoding.UTF8, leaveOpen: true))
        {
            foreach ((string name, ReadOnlyMemory<byte> value) in Wire.MetadataOf(request.Headers)
                .OrderBy(static entry => entry.Key, StringComparer.Ordinal)) // stable: of one key in their order
            {
                writer.Write(name);
                writer.Write(value.Length);
                writer.Write(value.Span);
            }

            writer.Write(request.Body);
        }

        return Convert.ToHexString(SHA256.HashData(all.GetBuffer().AsSpan(0, (int)all.Length)));
    }

    private readonly record struct Key(string Id, string Method, string Digest);
}
