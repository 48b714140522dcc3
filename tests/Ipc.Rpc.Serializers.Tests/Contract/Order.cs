using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Serializers.Tests.Contract;

/// <summary>Each kind of value that the three formats have in common.</summary>
[DataContract]
public sealed class Order
{
    [DataMember(Order = 1)]
    public int Number { get; set; }

    [DataMember(Order = 2)]
    public string Customer { get; set; } = "";

    [DataMember(Order = 3)]
    public List<Item> Items { get; set; } = [];

    [DataMember(Order = 4)]
    public DateTime Placed { get; set; }

    [DataMember(Order = 5)]
    public TimeSpan Patience { get; set; }

    [DataMember(Order = 6)]
    public Guid Id { get; set; }

    [DataMember(Order = 7)]
    public decimal Total { get; set; }

    [DataMember(Order = 8)]
    public byte[] Signature { get; set; } = [];

    [DataMember(Order = 9)]
    public Dictionary<string, int> Stock { get; set; } = [];

    [DataMember(Order = 10)]
    public List<int> Codes { get; set; } = [];

    [DataMember(Order = 11)]
    public OrderState State { get; set; }

    [DataMember(Order = 12)]
    public long? Discount { get; set; }

    [DataMember(Order = 13)]
    public double Weight { get; set; }

    [DataMember(Order = 15)] // 14 was something else once
    public Item? Gift { get; set; }
}
