using System.Runtime.Serialization;

namespace Ipc.Rpc.Peer;

/// <summary>What is echoed.</summary>
[DataContract]
public struct Message
{
    [DataMember(Order = 1)]
    public long Number { get; set; }

    [DataMember(Order = 2)]
    public double Value { get; set; }

    [DataMember(Order = 3)]
    public string? Text { get; set; }
}
