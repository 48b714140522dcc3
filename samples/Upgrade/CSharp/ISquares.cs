using System.Runtime.Serialization;
using Ipc.Rpc;

namespace Upgrade;

[IpcService("squares.v1")]
public interface ISquares
{
    /// <summary>The square, and the version of the program that has computed it.</summary>
    Answer Square(Question question);
}

[DataContract]
public readonly record struct Question([property: DataMember(Order = 1)] long Number);

[DataContract]
public readonly record struct Answer([property: DataMember(Order = 1)] long Square, [property: DataMember(Order = 2)] int Version);
