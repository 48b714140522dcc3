using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>What the benchmarks call; the C++ side is made from bench/native/bench.proto, which this generates.</summary>
[IpcService("bench.v1")]
public interface IBench
{
    /// <summary>The same bytes back.</summary>
    Blob Echo(Blob request);

    /// <summary>The same bytes back.</summary>
    ValueTask<Blob> EchoAsync(Blob request);

    /// <summary>As many bytes as asked for.</summary>
    Blob Fetch(FetchRequest request);

    /// <summary>A message without references: a call that leaves nothing to collect.</summary>
    Ticket Touch(Ticket request);

    /// <summary>As many items as asked for, numbered from 0.</summary>
    IAsyncEnumerable<Sample> Watch(WatchRequest request);
}

[DataContract]
public readonly record struct Blob([property: DataMember(Order = 1)] byte[] Data);

[DataContract]
public readonly record struct FetchRequest([property: DataMember(Order = 1)] int Size);

[DataContract]
public readonly record struct Ticket([property: DataMember(Order = 1)] ulong Id, [property: DataMember(Order = 2)] double Price);

[DataContract]
public readonly record struct WatchRequest([property: DataMember(Order = 1)] int Count);

/// <summary>64 bytes on the wire: seven numbers of nine bytes, and the sequence.</summary>
[DataContract]
public readonly record struct Sample(
    [property: DataMember(Order = 1)] ulong Sequence,
    [property: DataMember(Order = 2)] double Bid,
    [property: DataMember(Order = 3)] double Ask,
    [property: DataMember(Order = 4)] double Last,
    [property: DataMember(Order = 5)] double High,
    [property: DataMember(Order = 6)] double Low,
    [property: DataMember(Order = 7)] double Volume);
