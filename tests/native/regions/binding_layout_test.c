/*
 * The structures that the .NET binding writes down again (src/Ipc.Native/binding/Interop), in numbers that stand there a
 * second time, in tests/Ipc.Native.Tests/LayoutTests.cs. Checked by the compiler; there is nothing to run.
 */
#include "ipc.h"

#define LAYOUT(type, size, last, at)                                                                                   \
    _Static_assert(sizeof(type) == (size), #type);                                                                     \
    _Static_assert(offsetof(type, last) == (at), #type "." #last)

#if UINTPTR_MAX == UINT64_MAX
LAYOUT(ipc_ring_options, 64, access, 56);
LAYOUT(ipc_access, 140, users, 12);
LAYOUT(ipc_record, 16, redelivered, 14);
LAYOUT(ipc_block, 48, reserved, 16);
LAYOUT(ipc_listener_options, 56, protocol, 48);
LAYOUT(ipc_event, 16, connection, 8);
LAYOUT(ipc_connect_options, 88, protocol, 80);
LAYOUT(ipc_queue_options, 80, access, 72);
LAYOUT(ipc_topic_options, 96, access, 88);
LAYOUT(ipc_message, 48, writer, 40);
LAYOUT(ipc_sync_options, 56, access, 48);
LAYOUT(ipc_queue_info, 80, loans_exhausted, 72);
LAYOUT(ipc_topic_info, 88, loans_exhausted, 80);
LAYOUT(ipc_participant_info, 32, attached, 24);
LAYOUT(ipc_change, 40, participant, 8);
LAYOUT(ipc_named_options, 56, no_reconnect, 52);
LAYOUT(ipc_named_listener_options, 48, identity, 40);
LAYOUT(ipc_named_message, 24, sequence, 16);
LAYOUT(ipc_named_event, 32, text, 24);
LAYOUT(ipc_named_end, 248, text, 5);
LAYOUT(ipc_named_reset, 272, unacknowledged_received, 264);
#endif

int main(void)
{
    return 0;
}
