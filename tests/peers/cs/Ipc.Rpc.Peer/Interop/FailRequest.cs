using System.Runtime.Serialization;

namespace Ipc.Rpc.Peer.Interop;

[DataContract]
public sealed class FailRequest
{
    [DataMember(Order = 1)]
    public int Status { get; set; }

    [DataMember(Order = 2)]
    public string Text { get; set; } = "";
}
