using System.Runtime.Serialization;

namespace Ipc.Rpc.Peer.Interop;

[DataContract]
public sealed class SleepRequest
{
    [DataMember(Order = 1)]
    public int Ms { get; set; }
}
