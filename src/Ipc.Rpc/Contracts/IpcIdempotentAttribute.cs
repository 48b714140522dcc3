using System;

namespace Ipc.Rpc;

/// <summary>Calling this method twice comes to the same as calling it once: a client with a retry policy may send it
/// again although it is not known whether the first request was handled.</summary>
/// <remarks>Of unary methods with an answer. Methods with streams or progress, and one-way methods, are never sent
/// again once they were sent.</remarks>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcIdempotentAttribute : Attribute
{
}
