using System.Runtime.Serialization;

namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>A message without fields.</summary>
[DataContract]
public sealed class Nothing
{
}
