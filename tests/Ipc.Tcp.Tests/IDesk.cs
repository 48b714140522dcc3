using System.Collections.Generic;
using System.Threading;
using Ipc.Rpc;

namespace Ipc.Tcp.Tests;

/// <summary>What is said without an answer, and what is heard as it comes.</summary>
[IpcService("desk.v1")]
public interface IDesk
{
    [IpcOneWay]
    void Note(string what);

    IAsyncEnumerable<int> Watch(string what, CancellationToken cancellationToken = default);
}
