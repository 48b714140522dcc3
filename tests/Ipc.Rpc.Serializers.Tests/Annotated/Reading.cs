using System;
using System.Collections.Generic;
using MessagePack;

namespace Ipc.Rpc.Serializers.Tests.Annotated;

/// <summary>As a user of MessagePack-CSharp has it: keys from 0 on.</summary>
[MessagePackObject]
public sealed class Reading
{
    [Key(0)]
    public string Sensor { get; set; } = "";

    [Key(1)]
    public List<double> Values { get; set; } = [];

    [Key(3)] // 2 was something else once
    public Span? Within { get; set; }

    [Key(4)]
    public DateTime At { get; set; }

    [IgnoreMember]
    public int Ignored { get; set; }
}

[MessagePackObject]
public sealed record Span([property: Key(0)] int From, [property: Key(1)] int To);
