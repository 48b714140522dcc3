using System.Runtime.Serialization;

namespace Ipc.Matrix.Cells;

/// <summary>A message of one field of bytes: a call without a serializer to speak of.</summary>
[DataContract]
public readonly record struct Bytes([property: DataMember(Order = 1)] byte[] Data);
