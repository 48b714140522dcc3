using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Moments with an offset, days, times of day and addresses: the first three as messages that the .proto declares.</summary>
[DataContract]
public sealed class Calendar
{
    [DataMember(Order = 1)] public DateTimeOffset Moment { get; set; }
    [DataMember(Order = 2)] public DateTimeOffset? MaybeMoment { get; set; }
    [DataMember(Order = 3)] public List<DateTimeOffset> Moments { get; set; } = new();
    [DataMember(Order = 4)] public Dictionary<string, DateTimeOffset> MomentOf { get; set; } = new();
    [DataMember(Order = 5)] public DateOnly Day { get; set; }
    [DataMember(Order = 6)] public DateOnly? MaybeDay { get; set; }
    [DataMember(Order = 7)] public DateOnly[] Days { get; set; } = Array.Empty<DateOnly>();
    [DataMember(Order = 8)] public Dictionary<int, DateOnly> DayOf { get; set; } = new();
    [DataMember(Order = 9)] public TimeOnly Time { get; set; }
    [DataMember(Order = 10)] public TimeOnly? MaybeTime { get; set; }
    [DataMember(Order = 11)] public IReadOnlyList<TimeOnly> Times { get; set; } = Array.Empty<TimeOnly>();
    [DataMember(Order = 12)] public Dictionary<int, TimeOnly> TimeOf { get; set; } = new();
    [DataMember(Order = 13)] public Uri Address { get; set; } = ProtoReader.EmptyUri;
    [DataMember(Order = 14)] public Uri? MaybeAddress { get; set; }
    [DataMember(Order = 15)] public List<Uri> Addresses { get; set; } = new();
    [DataMember(Order = 16)] public Dictionary<int, Uri> AddressOf { get; set; } = new();
}
