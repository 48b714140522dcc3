using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Topics.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_writer_open(byte* name, TopicOptionsData* options, IntPtr* writer);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_reader_open(byte* name, TopicOptionsData* options, IntPtr* reader);

    [DllImport(Library)]
    public static extern void ipc_topic_writer_close(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_topic_reader_close(IntPtr reader);

    [DllImport(Library)]
    public static extern void ipc_topic_writer_stop(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_topic_reader_stop(IntPtr reader);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_claim(IntPtr writer, uint length, ulong deadline, void* cancel, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_commit(IntPtr writer, BlockData* block, uint length, ushort type, ulong key);

    [DllImport(Library)]
    public static extern void ipc_topic_abandon(IntPtr writer, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_publish(IntPtr writer, void* payload, uint length, ushort type, ulong key, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_writer_wait_for_readers(IntPtr writer, uint count, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_read(IntPtr reader, ulong deadline, void* cancel, MessageData* message);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_release(IntPtr reader);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_rejoin(IntPtr reader, int join);

    [DllImport(Library)]
    public static extern void ipc_topic_writer_resume(IntPtr writer);

    [DllImport(Library)]
    public static extern void ipc_topic_reader_resume(IntPtr reader);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_try_claim(IntPtr writer, uint length, BlockData* block);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_try_read(IntPtr reader, MessageData* message);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_wait(IntPtr reader, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern void ipc_topic_writer_trim_loans(IntPtr writer);
}
