using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Streams to the server, and both ways.</summary>
[IpcService("sink.v1")]
public interface ISink
{
    /// <summary>The sum of 1, 2, 3 and so on. How: "hold" waits before it reads, "three" answers after three, "wait" does not answer; others are failures after three.</summary>
    Task<long> TakeAsync(string how, IAsyncEnumerable<int> items, CancellationToken cancel = default);

    /// <summary>How many bytes there were.</summary>
    Task<long> WeighAsync(string how, IAsyncEnumerable<byte[]> items, CancellationToken cancel = default);

    /// <summary>The same numbers, by the same rules.</summary>
    IAsyncEnumerable<int> Echo(string how, IAsyncEnumerable<int> items, CancellationToken cancel = default);
}
