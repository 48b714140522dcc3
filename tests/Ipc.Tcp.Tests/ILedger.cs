using Ipc.Rpc;

namespace Ipc.Tcp.Tests;

/// <summary>One method of each kind: what may be done twice, what nobody may do twice, and what is done once.</summary>
[IpcService("ledger.v1")]
public interface ILedger
{
    [IpcIdempotent]
    int Read(string what);

    int Add(string what);

    [IpcOnce]
    int Book(string what);
}
