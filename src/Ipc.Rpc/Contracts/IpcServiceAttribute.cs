using System;

namespace Ipc.Rpc;

/// <summary>Marks an interface as a contract: the source generator emits its proxy, dispatcher, codecs and
/// <c>.proto</c>.</summary>
/// <remarks>The name is part of the wire: both sides must use the same one, and it ends in a version by
/// convention.</remarks>
/// <example><code>
/// [IpcService("sysmon.v1")]
/// public interface ISystemMonitor
/// {
///     Table Get(TableRequest request);
/// }
/// </code></example>
[AttributeUsage(AttributeTargets.Interface, Inherited = false)]
public sealed class IpcServiceAttribute : Attribute
{
    /// <summary>Names the service: identifiers of letters, digits and <c>_</c>, joined by dots.</summary>
    public IpcServiceAttribute(string name) => Name = name;

    /// <summary>The service name on the wire and the package of the <c>.proto</c>.</summary>
    public string Name { get; }

    /// <summary>The contract that the client offers, so that the server can call it over the same connection;
    /// <see langword="null"/> for none.</summary>
    public Type? Callback { get; set; }
}
