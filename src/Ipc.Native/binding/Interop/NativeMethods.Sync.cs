using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Mutexes, semaphores, events.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_mutex_open(byte* name, SyncOptionsData* options, IntPtr* mutex);

    [DllImport(Library)]
    public static extern void ipc_shared_mutex_close(IntPtr mutex);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_mutex_acquire(IntPtr mutex, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_mutex_release(IntPtr mutex);

    [DllImport(Library)]
    public static extern void ipc_shared_mutex_stop(IntPtr mutex);

    [DllImport(Library)]
    public static extern void ipc_shared_mutex_resume(IntPtr mutex);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_semaphore_open(byte* name, SyncOptionsData* options, IntPtr* semaphore);

    [DllImport(Library)]
    public static extern void ipc_shared_semaphore_close(IntPtr semaphore);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_semaphore_acquire(IntPtr semaphore, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_semaphore_release(IntPtr semaphore);

    [DllImport(Library)]
    public static extern uint ipc_shared_semaphore_available(IntPtr semaphore);

    [DllImport(Library)]
    public static extern uint ipc_shared_semaphore_permits(IntPtr semaphore);

    [DllImport(Library)]
    public static extern void ipc_shared_semaphore_stop(IntPtr semaphore);

    [DllImport(Library)]
    public static extern void ipc_shared_semaphore_resume(IntPtr semaphore);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_event_open(byte* name, SyncOptionsData* options, IntPtr* made);

    [DllImport(Library)]
    public static extern void ipc_shared_event_close(IntPtr made);

    [DllImport(Library)]
    public static extern void ipc_shared_event_set(IntPtr made);

    [DllImport(Library)]
    public static extern void ipc_shared_event_reset(IntPtr made);

    [DllImport(Library)]
    public static extern NativeStatus ipc_shared_event_wait(IntPtr made, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern byte ipc_shared_event_is_manual_reset(IntPtr made);

    [DllImport(Library)]
    public static extern void ipc_shared_event_stop(IntPtr made);

    [DllImport(Library)]
    public static extern void ipc_shared_event_resume(IntPtr made);
}
