using System.Runtime.Serialization;

namespace IpcWorker._1;

/// <summary>What is to be done. The number tells a job that comes again from another one with the same text.</summary>
/// <param name="Seconds">How long the work takes; only there to have the time to kill a worker.</param>
[DataContract]
public sealed record Job(
    [property: DataMember(Order = 1)] Guid Number,
    [property: DataMember(Order = 2)] string Text,
    [property: DataMember(Order = 3)] double Seconds);
