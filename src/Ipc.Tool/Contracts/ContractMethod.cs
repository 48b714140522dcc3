using Ipc.Rpc.Generator;

namespace Ipc.Tool;

/// <summary>A method of a contract, with its messages.</summary>
internal sealed class ContractMethod(Contract contract, string service, string name, ProtoRpc rpc)
{
    public string Service { get; } = service;

    public string Name { get; } = name;

    /// <summary>unary, server stream, client stream, duplex, one-way.</summary>
    public string Kind => rpc.Kind;

    public bool IsOneWay => rpc.IsOneWay;

    public bool HasInput => rpc.Input.Length > 0;

    public bool IsOutputStream => rpc.IsOutputStream;

    public bool HasProgress => rpc.Progress.Length > 0;

    public MessageType Request => contract.ResolveMessage(rpc.Request, Service);

    public MessageType Input => contract.ResolveMessage(rpc.Input, Service);

    public MessageType Output => contract.ResolveMessage(rpc.Output, Service);

    public MessageType Progress => contract.ResolveMessage(rpc.Progress, Service);
}
