using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Queues.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_open(byte* name, QueueOptionsData* options, IntPtr* queue);

    [DllImport(Library)]
    public static extern void ipc_queue_close(IntPtr queue);

    [DllImport(Library)]
    public static extern void ipc_queue_stop(IntPtr queue);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_claim(IntPtr queue, uint length, ulong deadline, void* cancel, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_commit(IntPtr queue, BlockData* block, uint length, ushort type);

    [DllImport(Library)]
    public static extern void ipc_queue_abandon(IntPtr queue, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_send(IntPtr queue, void* payload, uint length, ushort type, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_receive(IntPtr queue, ulong deadline, void* cancel, BlockData* block);

    [DllImport(Library)]
    public static extern void ipc_queue_release(IntPtr queue, BlockData* block);

    [DllImport(Library)]
    public static extern void ipc_queue_resume(IntPtr queue);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_try_claim(IntPtr queue, uint length, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_try_receive(IntPtr queue, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_wait(IntPtr queue, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern void ipc_queue_trim_loans(IntPtr queue);
}
