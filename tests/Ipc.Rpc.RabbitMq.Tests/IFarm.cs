using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What the contract of the other tests does not have: one-way calls, and what a handler sees of its delivery.</summary>
[IpcService("farm.v1")]
public interface IFarm
{
    /// <summary>Says who handled it.</summary>
    ValueTask<string> DoAsync(int number, CancellationToken cancel = default);

    [IpcIdempotent]
    ValueTask<string> DoAgainAsync(int number, CancellationToken cancel = default);

    [IpcOneWay]
    Task NoteAsync(int number, CancellationToken cancel = default);
}
