using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Named connections and their listeners.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern NativeStatus ipc_named_open(byte* server, byte* client, NamedOptionsData* options,
        IntPtr* connection);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_connect(IntPtr connection, ulong deadline, void* cancel);

    [DllImport(Library)]
    public static extern byte ipc_named_is_connected(IntPtr connection);

    [DllImport(Library)]
    public static extern int ipc_named_peer_pid(IntPtr connection);

    [DllImport(Library)]
    public static extern void* ipc_named_reply(IntPtr connection, uint* length);

    [DllImport(Library)]
    public static extern void* ipc_named_login(IntPtr connection, uint* length);

    [DllImport(Library)]
    public static extern byte* ipc_named_client_name(IntPtr connection);

    [DllImport(Library)]
    public static extern byte* ipc_named_server_name(IntPtr connection);

    [DllImport(Library)]
    public static extern uint ipc_named_identity(IntPtr connection, byte* identity, uint size);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_ended(IntPtr connection, NamedEndData* reason);

    [DllImport(Library)]
    public static extern void ipc_named_last_reset(IntPtr connection, NamedResetData* reset);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_try_claim(IntPtr connection, uint length, void** payload);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_claim(IntPtr connection, uint length, ulong deadline, void* cancel,
        void** payload);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_commit(IntPtr connection, uint length, ushort type, ulong* sequence);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_commit_batched(IntPtr connection, uint length, ushort type,
        ulong* sequence);

    [DllImport(Library)]
    public static extern void ipc_named_flush(IntPtr connection);

    [DllImport(Library)]
    public static extern void ipc_named_abandon(IntPtr connection);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_try_send(IntPtr connection, void* payload, uint length,
        ushort type, ulong* sequence);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_send(IntPtr connection, void* payload, uint length, ushort type,
        ulong deadline,
        void* cancel, ulong* sequence);

    [DllImport(Library)]
    public static extern uint ipc_named_max_payload(IntPtr connection);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_try_receive(IntPtr connection, NamedMessageData* message);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_receive(IntPtr connection, ulong deadline, void* cancel,
        NamedMessageData* message);

    [DllImport(Library)]
    public static extern void ipc_named_acknowledge(IntPtr connection, ulong sequence);

    [DllImport(Library)]
    public static extern ulong ipc_named_sent(IntPtr connection);

    [DllImport(Library)]
    public static extern ulong ipc_named_received(IntPtr connection);

    [DllImport(Library)]
    public static extern ulong ipc_named_acknowledged(IntPtr connection);

    [DllImport(Library)]
    public static extern ulong ipc_named_unacknowledged(IntPtr connection);

    [DllImport(Library)]
    public static extern void ipc_named_stop(IntPtr connection);

    [DllImport(Library)]
    public static extern void ipc_named_resume(IntPtr connection);

    [DllImport(Library)]
    public static extern void ipc_named_close(IntPtr connection, uint code, byte* text);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_remove(byte* server, byte* client);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_listener_open(byte* name, NamedListenerOptionsData* options,
        IntPtr* listener);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_listener_next(IntPtr listener, ulong deadline, void* cancel,
        NamedEventData* next);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_accept(IntPtr connection, void* reply, uint length);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_refuse(IntPtr connection, byte* text);

    [DllImport(Library)]
    public static extern void ipc_named_return(IntPtr listener, IntPtr connection);

    [DllImport(Library)]
    public static extern NativeStatus ipc_named_listener_open_connection(IntPtr listener, byte* client,
        IntPtr* connection);

    [DllImport(Library)]
    public static extern void ipc_named_listener_stop(IntPtr listener);

    [DllImport(Library)]
    public static extern void ipc_named_listener_resume(IntPtr listener);

    [DllImport(Library)]
    public static extern void ipc_named_listener_close(IntPtr listener, uint code, byte* text);
}
