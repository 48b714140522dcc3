using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>Bytes that come in memory that is used again, in each place where bytes can be; and the same as arrays.</summary>
[IpcService("codec.pooled.v1")]
public interface IPooledContract
{
    PooledPhoto Pooled(PooledPhoto photo);

    PlainPhoto Plain(PlainPhoto photo);
}

[DataContract]
public sealed class PooledPhoto
{
    [DataMember(Order = 1)] public PooledBytes Bytes { get; set; }
    [DataMember(Order = 2)] public PooledBytes? Preview { get; set; }
    [DataMember(Order = 3)] public PooledBytes[] Parts { get; set; } = [];
}

[DataContract]
public sealed class PlainPhoto
{
    [DataMember(Order = 1)] public byte[] Bytes { get; set; } = [];
    [DataMember(Order = 2)] public byte[]? Preview { get; set; }
    [DataMember(Order = 3)] public byte[][] Parts { get; set; } = [];
}
