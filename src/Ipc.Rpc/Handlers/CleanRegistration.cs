using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Registrations of the library's own, with tokens that may live as long as the program.</summary>
internal static class CleanRegistration
{
    /// <summary>Registers. What flows with the code that does so does not flow to what is called, and is not kept by
    /// the token.</summary>
    public static CancellationTokenRegistration Make(Action<object?> call, object state, CancellationToken token)
    {
#if NET
        return token.UnsafeRegister(call, state);
#else
        if (!token.CanBeCanceled || ExecutionContext.IsFlowSuppressed())
            return token.Register(call, state, useSynchronizationContext: false);
        using (ExecutionContext.SuppressFlow())
            return token.Register(call, state, useSynchronizationContext: false);
#endif
    }
}
