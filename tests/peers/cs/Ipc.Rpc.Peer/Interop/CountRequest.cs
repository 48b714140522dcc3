using System.Runtime.Serialization;

namespace Ipc.Rpc.Peer.Interop;

[DataContract]
public sealed class CountRequest
{
    [DataMember(Order = 1)]
    public int Count { get; set; }

    [DataMember(Order = 2)]
    public int Size { get; set; }
}
