using System.Runtime.Serialization;

namespace Ipc.Hosting.Tests;

/// <summary>A message of a contract, which queues and topics carry, too.</summary>
[DataContract]
public sealed record Payment([property: DataMember(Order = 1)] string To, [property: DataMember(Order = 2)] int Amount);
