using System.Runtime.Serialization;
using Ipc.Rpc;

namespace Ipc.Matrix.Cells;

/// <summary>A message of one field of bytes: a call without a serializer to speak of. The bytes are pooled, as the guide
/// says of large ones: a new array of a megabyte costs more than its way.</summary>
[DataContract]
public readonly record struct Bytes([property: DataMember(Order = 1)] PooledBytes Data);
