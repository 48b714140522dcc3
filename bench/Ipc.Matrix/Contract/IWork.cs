using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>Work that is handed over: the call ends when somebody is sure to have it.</summary>
[IpcService("bench.work.v1")]
public interface IWork
{
    /// <summary>Takes the bytes, and says nothing.</summary>
    [IpcOneWay]
    ValueTask PutAsync(Blob request);
}
