using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>A cancellation token as the library's <c>ipc_cancel</c>, for one call. Costs nothing for a token that cannot be cancelled.</summary>
internal readonly unsafe ref struct CancelScope
{
    private readonly CancellationTokenRegistration _registration;

    public CancelScope(CancellationToken cancellationToken)
    {
        _registration = default;
        Value = null;
        if (!cancellationToken.CanBeCanceled)
            return;
        void* value;
        NativeError.Check(NativeMethods.ipc_cancel_create(&value));
        Value = value;
        _registration = cancellationToken.Register(static state => NativeMethods.ipc_cancel_trigger((void*)(IntPtr)state!), (IntPtr)value);
    }

    public void* Value { get; }

    public void Dispose()
    {
        _registration.Dispose(); // waits for a trigger that is under way
        if (Value != null)
            NativeMethods.ipc_cancel_destroy(Value);
    }
}
