using System.Runtime.Serialization;
using Ipc.Rpc;

namespace IpcService._1;

/// <summary>What the server offers. The generator of Ipc.Rpc makes the class GreeterRpc from it.</summary>
[IpcService("greeter.v1")]
public interface IGreeter
{
    /// <summary>One question, one answer.</summary>
    Task<Greeting> GreetAsync(GreetRequest request, CancellationToken cancellationToken = default);

    /// <summary>One question, and answers until the caller has enough.</summary>
    IAsyncEnumerable<Greeting> Watch(GreetRequest request, CancellationToken cancellationToken = default);
}

[DataContract]
public sealed record GreetRequest([property: DataMember(Order = 1)] string Name);

[DataContract]
public sealed record Greeting([property: DataMember(Order = 1)] string Text, [property: DataMember(Order = 2)] int Number);
