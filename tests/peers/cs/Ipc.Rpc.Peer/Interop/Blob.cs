using System.Runtime.Serialization;

namespace Ipc.Rpc.Peer.Interop;

[DataContract]
public sealed class Blob
{
    [DataMember(Order = 1)]
    public byte[] Data { get; set; } = [];
}
