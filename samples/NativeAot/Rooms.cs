using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace NativeAot;

internal sealed class Rooms : IRooms
{
    private readonly List<string> _notes = [];

    public Reading Read(string room)
        => room.Length == 0 ? throw new RpcCallException(RpcStatus.NotFound, "A room has a name.") : new Reading(room, 20.5, DateTime.UnixEpoch, Quality.Good);

    public async ValueTask<Summary> Summarize(IReadOnlyList<string> rooms, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        return new Summary(rooms.ToDictionary(static room => room, Read), 20.5m, Guid.Empty, null);
    }

    public async IAsyncEnumerable<Reading> Watch(string room, int count, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return Read(room) with { Celsius = i };
        }
    }

    public async ValueTask<Dictionary<string, int>> RecordAsync(string source, IAsyncEnumerable<Reading> readings, CancellationToken cancellationToken = default)
    {
        var counts = new Dictionary<string, int> { [source] = 0 };
        await foreach (Reading reading in readings.WithCancellation(cancellationToken))
            counts[reading.Room] = counts.GetValueOrDefault(reading.Room) + 1;
        return counts;
    }

    public async IAsyncEnumerable<Reading> Correct(double offset, IAsyncEnumerable<Reading> readings, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (Reading reading in readings.WithCancellation(cancellationToken))
            yield return reading with { Celsius = reading.Celsius + offset };
    }

    public async Task<double> HeatAsync(string room, double target, IProgress<Reading> progress, CancellationToken cancellationToken = default)
    {
        Reading reading = Read(room);
        for (; reading.Celsius < target; reading = reading with { Celsius = reading.Celsius + 0.5 })
        {
            progress.Report(reading);
            await Task.Yield();
        }

        return reading.Celsius;
    }

    public async Task<string> ConfirmAsync(string room) => await RoomsRpc.Callback(RpcContext.Current!).AnswerAsync(Read(room));

    public void Note(string line)
    {
        lock (_notes)
            _notes.Add(line);
    }

    public List<string> Notes()
    {
        lock (_notes)
            return [.. _notes];
    }
}
