using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>The .NET types that travel as strings or as well-known messages.</summary>
[DataContract]
public sealed class WellKnown
{
    [DataMember(Order = 1)] public DateTime Time { get; set; }
    [DataMember(Order = 2)] public TimeSpan Span { get; set; }
    [DataMember(Order = 3)] public Guid Id { get; set; }
    [DataMember(Order = 4)] public decimal Price { get; set; }
    [DataMember(Order = 5)] public DateTime? MaybeTime { get; set; }
    [DataMember(Order = 6)] public TimeSpan? MaybeSpan { get; set; }
    [DataMember(Order = 7)] public Guid? MaybeId { get; set; }
    [DataMember(Order = 8)] public decimal? MaybePrice { get; set; }
    [DataMember(Order = 9)] public List<DateTime> Times { get; set; } = new();
    [DataMember(Order = 10)] public TimeSpan[] Spans { get; set; } = Array.Empty<TimeSpan>();
    [DataMember(Order = 11)] public IReadOnlyList<Guid> Ids { get; set; } = Array.Empty<Guid>();
    [DataMember(Order = 12)] public IList<decimal> Prices { get; set; } = Array.Empty<decimal>();
    [DataMember(Order = 13)] public Dictionary<string, DateTime> TimeOf { get; set; } = new();
    [DataMember(Order = 14)] public Dictionary<Guid, decimal> PriceOf { get; set; } = new();
}
