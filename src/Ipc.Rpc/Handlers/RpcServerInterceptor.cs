using System;

namespace Ipc.Rpc;

/// <summary>Is called for every call that a server handles: for access checks, logs, counters, or to map
/// exceptions.</summary>
/// <remarks>Its methods run on the thread that begins or ends the call, perhaps several at once, and should not
/// block.</remarks>
public abstract class RpcServerInterceptor
{
    /// <summary>Called before a handler runs. If it throws, the handler does not run and the exception is the outcome
    /// of the call: an <see cref="RpcCallException"/> with its status.</summary>
    public virtual void Starting(RpcContext context)
    {
    }

    /// <summary>Called when a call has ended, also if <see cref="Starting"/> of this or a later interceptor threw. Its
    /// own exceptions are traced.</summary>
    /// <param name="context">The call.</param>
    /// <param name="status">The status that the caller got, or would have got if the call were not one-way.</param>
    /// <param name="exception">The exception of the handler, or <see langword="null"/>.</param>
    public virtual void Completed(RpcContext context, RpcStatus status, Exception? exception)
    {
    }

    /// <summary>Chooses the error that the caller gets for an exception of its handler.</summary>
    /// <returns>The error, or <see langword="null"/> to leave the choice to the next interceptor; without any, the
    /// exception itself is sent.</returns>
    public virtual RpcCallException? Map(RpcContext context, Exception exception) => null;
}
