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
    public Reading Read(string room)
        => room.Length == 0 ? throw new RpcException(RpcStatus.NotFound, "A room has a name.") : new Reading(room, 20.5, DateTime.UnixEpoch, Quality.Good);

    public async ValueTask<Summary> Summarize(IReadOnlyList<string> rooms, CancellationToken cancel = default)
    {
        await Task.Yield();
        return new Summary(rooms.ToDictionary(static room => room, Read), 20.5m, Guid.Empty, null);
    }

    public async IAsyncEnumerable<Reading> Watch(string room, int count, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return Read(room) with { Celsius = i };
        }
    }
}
