using System.Runtime.Serialization;

namespace Ipc.Bench.Codec;

[DataContract]
public sealed class Trade
{
    [DataMember(Order = 1)]
    public long Id { get; set; }

    [DataMember(Order = 2)]
    public string Symbol { get; set; } = "";

    [DataMember(Order = 3)]
    public double Price { get; set; }

    [DataMember(Order = 4)]
    public int Quantity { get; set; }

    [DataMember(Order = 5)]
    public string Account { get; set; } = "";

    [DataMember(Order = 6)]
    public bool IsSell { get; set; }
}
