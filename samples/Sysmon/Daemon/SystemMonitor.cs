using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Sysmon;

/// <summary>The contract over <see cref="SystemData"/>. Twin of ../cpp/daemon.cpp.</summary>
internal sealed class SystemMonitor(SystemData data) : ISystemMonitor
{
    public IReadOnlyList<string> List(Kind kind) => data.List(kind);

    public Table Get(TableRequest request) => data.Fill(request.Ids, request.Fields);

    public Task<Table> GetAsync(TableRequest request, CancellationToken cancellationToken = default) => Task.FromResult(Get(request));

    public async IAsyncEnumerable<Sample> Watch(WatchRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        if (request.IntervalMs is < 10 or > 3_600_000)
            throw new RpcCallException(RpcStatus.InvalidArgument, $"interval_ms is {request.IntervalMs}, it must be 10 to 3600000");
        for (int sequence = 1; request.Count == 0 || sequence <= request.Count; sequence++)
        {
            if (sequence > 1)
                await Task.Delay(request.IntervalMs, cancellationToken);
            yield return new Sample
            {
                Sequence = sequence,
                TakenMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds(),
                Table = data.Fill(request.Ids, request.Fields),
            };
        }
    }
}
