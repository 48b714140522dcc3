using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer;

/// <summary>Methods that are executed once.</summary>
[IpcService("once.v1")]
public interface IOnceService
{
    /// <summary>Does it, and returns how often something has been done.</summary>
    [IpcOnce]
    int Do(string what);

    [IpcOnce]
    ValueTask<int> DoAsync(string what, CancellationToken cancel = default);

    /// <summary>The same by another name.</summary>
    [IpcOnce]
    int Also(string what);

    /// <summary>Does it, and throws.</summary>
    [IpcOnce]
    int Fail(string what);

    /// <summary>Does it, and waits at the gate of that name.</summary>
    [IpcOnce]
    int Hold(string gate, CancellationToken cancel = default);

    /// <summary>Does it, and returns so many bytes.</summary>
    [IpcOnce]
    byte[] Blob(int size);
}
