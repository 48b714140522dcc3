using System.Runtime.Serialization;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>What the benchmarks call; the C++ side is made from bench/native/bench.proto, which this generates.</summary>
[IpcService("bench.v1")]
public interface IBench
{
    /// <summary>The same bytes back.</summary>
    Blob Echo(Blob request);

    /// <summary>As many bytes as asked for.</summary>
    Blob Fetch(FetchRequest request);

    /// <summary>A message without references: a call that leaves nothing to collect.</summary>
    Ticket Touch(Ticket request);
}

[DataContract]
public readonly record struct Blob([property: DataMember(Order = 1)] byte[] Data);

[DataContract]
public readonly record struct FetchRequest([property: DataMember(Order = 1)] int Size);

[DataContract]
public readonly record struct Ticket([property: DataMember(Order = 1)] ulong Id, [property: DataMember(Order = 2)] double Price);
