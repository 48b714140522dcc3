using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>A message with what travels as messages of the contract's own.</summary>
[DataContract]
public sealed record Job(
    [property: DataMember(Order = 1)] DateTimeOffset At,
    [property: DataMember(Order = 2)] (string Name, int Count) Part,
    [property: DataMember(Order = 3)] IReadOnlyList<IReadOnlyList<int>> Rows);
