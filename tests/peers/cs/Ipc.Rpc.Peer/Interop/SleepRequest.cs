using System.Runtime.Serialization;

namespace Ipc.Rpc.Peer.Interop;

[DataContract]
public sealed class SleepRequest
{
    [DataMember(Order = 1)]
    public int Ms { get; set; }

    /// <summary>Goes on until the call's deadline has passed, whoever cancels it.</summary>
    [DataMember(Order = 2)]
    public bool PastDeadline { get; set; }
}
