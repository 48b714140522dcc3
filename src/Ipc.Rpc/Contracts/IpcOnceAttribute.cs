using System;

namespace Ipc.Rpc;

/// <summary>A call of this method is executed once: its client makes it again by itself, under the same id, when the
/// connection or the server is lost, and the server answers what it has executed already from memory.</summary>
/// <remarks>For unary methods with an answer and without progress, that are not called back. What a server remembers,
/// and for how long, is in <see cref="RpcServerOptions.Once"/>; that outlives the server only with a
/// <see cref="IOnceStore"/>. When a server cannot know whether a call was executed, the call fails and says so
/// (<see cref="RpcCallException.OnceRefusal"/>): it is not executed again. Servers in C++, and those that are older
/// than this attribute, refuse such calls with <see cref="RpcStatus.Unimplemented"/>.</remarks>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcOnceAttribute : Attribute
{
}
