using Ipc.Rpc;

namespace IpcWorker._1;

/// <summary>
/// The messages of the queue. Nobody implements it: the generator writes how the messages of a contract are sent, and a .proto with which programs in other languages
/// can send and receive them.
/// </summary>
[IpcService("jobs.v1")]
public interface IJobs
{
    [IpcOneWay]
    void Do(Job job);
}
