using System;

namespace Ipc.Rpc;

/// <summary>Names a message type that errors may carry as a detail. Its codec is generated, as <c>XRpc.Codecs.T</c>,
/// and the <c>.proto</c> declares it.</summary>
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
