using System;

namespace Ipc.Rpc;

/// <summary>Calling this method twice has the same effect as calling it once. So a client with a retry policy may send
/// a request again even if the first one may have been handled.</summary>
/// <remarks>It applies to unary methods with an answer. Requests of methods with streams or progress, and of one-way
/// methods, are never sent twice.</remarks>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcIdempotentAttribute : Attribute
{
}
