using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Rings.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_writer_open(byte* name, RingOptionsData* options, IntPtr* writer);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_reader_open(byte* name, RingOptionsData* options, IntPtr* reader);

    [DllImport(Library)]
    public static extern void ipc_ring_writer_close(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_ring_reader_close(IntPtr reader);

    [DllImport(Library)]
    public static extern void ipc_ring_writer_stop(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_ring_reader_stop(IntPtr reader);

    [DllImport(Library)]
    public static extern uint ipc_ring_writer_max_payload(IntPtr writer);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_claim(IntPtr writer, uint length, ulong deadline, void* cancel, void** payload);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_try_extend_claim(IntPtr writer, uint length, void** payload);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_commit(IntPtr writer, uint length, ushort type);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_commit_batched(IntPtr writer, uint length, ushort type);

    [DllImport(Library)]
    public static extern void ipc_ring_flush(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_ring_abandon(IntPtr writer);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_write(IntPtr writer, void* payload, uint length, ushort type, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_try_read(IntPtr reader, RecordData* record);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_read(IntPtr reader, ulong deadline, void* cancel, RecordData* record);

    [DllImport(Library)]
    public static extern void ipc_ring_release(IntPtr reader);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_writer_wait_for_peer(IntPtr writer, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_reader_wait_for_peer(IntPtr reader, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern ulong ipc_ring_writer_capacity(IntPtr writer);

    [DllImport(Library)]
    public static extern ulong ipc_ring_reader_capacity(IntPtr reader);

    [DllImport(Library)]
    public static extern ulong ipc_ring_reader_released(IntPtr reader);

    [DllImport(Library)]
    public static extern ulong ipc_ring_writer_wakes(IntPtr writer);

    [DllImport(Library)]
    public static extern ulong ipc_ring_writer_position(IntPtr writer);

    [DllImport(Library)]
    public static extern byte ipc_ring_reader_is_drained(IntPtr reader);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_try_claim(IntPtr writer, uint length, void** payload);

    [DllImport(Library)]
    public static extern NativeStatus ipc_ring_wait(IntPtr reader, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern void ipc_ring_writer_trim_loans(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_ring_writer_resume(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_ring_reader_resume(IntPtr reader);

    [DllImport(Library)]
    public static extern NativePeerState ipc_ring_writer_peer(IntPtr writer);

    [DllImport(Library)]
    public static extern NativePeerState ipc_ring_reader_peer(IntPtr reader);
}
