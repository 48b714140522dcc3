using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Who is in a queue or topic, and its numbers.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern void ipc_queue_get_info(IntPtr queue, QueueInfoData* info);

    [DllImport(Library)]
    public static extern uint ipc_queue_participants(IntPtr queue, ParticipantInfoData* array, uint capacity);

    [DllImport(Library)]
    public static extern NativeStatus ipc_queue_next_change(IntPtr queue, ulong deadline, void* cancel, ChangeData* change);

    [DllImport(Library)]
    public static extern void ipc_topic_writer_get_info(IntPtr writer, TopicInfoData* info);

    [DllImport(Library)]
    public static extern uint ipc_topic_writer_participants(IntPtr writer, ParticipantInfoData* array, uint capacity);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_writer_next_change(IntPtr writer, ulong deadline, void* cancel, ChangeData* change);

    [DllImport(Library)]
    public static extern void ipc_topic_reader_get_info(IntPtr reader, TopicInfoData* info);

    [DllImport(Library)]
    public static extern uint ipc_topic_reader_participants(IntPtr reader, ParticipantInfoData* array, uint capacity);

    [DllImport(Library)]
    public static extern NativeStatus ipc_topic_reader_next_change(IntPtr reader, ulong deadline, void* cancel, ChangeData* change);
}
