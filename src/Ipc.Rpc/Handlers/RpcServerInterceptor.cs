using System;

namespace Ipc.Rpc;

/// <summary>Looks at every call that a server handles: for access checks, logs, counters, the translation of
/// exceptions.</summary>
/// <remarks>Its methods run on the thread that begins or ends the call, any number at once, and should be
/// quick.</remarks>
public abstract class RpcServerInterceptor
{
    /// <summary>A handler is about to run. What this throws is its outcome: an <see cref="RpcCallException"/> with its
    /// status.</summary>
    public virtual void Starting(RpcContext context)
    {
    }

    /// <summary>A call that was started has ended; also when <see cref="Starting"/>, of this or a later one, threw.
    /// What this throws is traced and goes no further.</summary>
    /// <param name="context">The call.</param>
    /// <param name="status">What its caller was told, or would have been if it were not one-way.</param>
    /// <param name="exception">What the handler threw; <see langword="null"/> if nothing.</param>
    public virtual void Completed(RpcContext context, RpcStatus status, Exception? exception)
    {
    }

    /// <summary>Chooses what a caller is told about an exception of its handler.</summary>
    /// <returns><see langword="null"/> for no opinion: then the next interceptor is asked, and at last the exception
    /// itself.</returns>
    public virtual RpcCallException? Map(RpcContext context, Exception exception) => null;
}
