using System;

namespace Ipc.Rpc;

/// <summary>The caller of this method gets no answer: it goes on when the request is on its way. What goes wrong
/// afterwards it never learns.</summary>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcOneWayAttribute : Attribute
{
}
