using System;

namespace Ipc.Rpc;

/// <summary>Gives a method another name on the wire than its C# name without <c>Async</c>.</summary>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcMethodAttribute : Attribute
{
    /// <summary>Names the method on the wire: an identifier of letters, digits and <c>_</c>.</summary>
    public IpcMethodAttribute(string name) => Name = name;

    /// <summary>The method name on the wire.</summary>
    public string Name { get; }
}
