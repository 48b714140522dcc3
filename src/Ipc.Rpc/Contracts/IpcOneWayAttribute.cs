using System;

namespace Ipc.Rpc;

/// <summary>The method is one-way: the caller continues when the request has been published, gets no answer, and does
/// not learn of later failures.</summary>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcOneWayAttribute : Attribute
{
}
