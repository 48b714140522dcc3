using System;

namespace Ipc.Rpc;

/// <summary>Names a message that errors carry as a detail: its codec is generated, as <c>XRpc.Codecs.T</c>, and the
/// <c>.proto</c> has it.</summary>
/// <example><code>
/// [IpcFault(typeof(OutOfStock))]
/// Task OrderAsync(Order order);
/// </code></example>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Interface, AllowMultiple = true, Inherited = false)]
public sealed class IpcFaultAttribute : Attribute
{
    /// <summary>Names the message's type.</summary>
    public IpcFaultAttribute(Type message) => Message = message;

    /// <summary>The message's type.</summary>
    public Type Message { get; }
}
