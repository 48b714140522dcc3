using System;
using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <content>Listeners and connections.</content>
internal static unsafe partial class NativeMethods
{
    [DllImport(Library)]
    public static extern NativeStatus ipc_listener_open(byte* name, ListenerOptionsData* options, IntPtr* listener);

    [DllImport(Library)]
    public static extern void ipc_listener_close(IntPtr listener);

    [DllImport(Library)]
    public static extern void ipc_listener_stop(IntPtr listener);

    [DllImport(Library)]
    public static extern byte ipc_listener_is_followed(IntPtr listener);

    [DllImport(Library)]
    public static extern NativeStatus ipc_listener_next(IntPtr listener, ulong deadline, void* cancel, EventData* next);

    [DllImport(Library)]
    public static extern void ipc_listener_return(IntPtr listener, IntPtr connection);

    [DllImport(Library)]
    public static extern NativeStatus ipc_connection_accept(IntPtr connection);

    [DllImport(Library)]
    public static extern NativeStatus ipc_connection_refuse(IntPtr connection, byte* reason);

    [DllImport(Library)]
    public static extern NativeStatus ipc_connect(byte* name, ConnectOptionsData* options, IntPtr* connection);

    [DllImport(Library)]
    public static extern void ipc_connection_close(IntPtr connection);

    [DllImport(Library)]
    public static extern void ipc_connection_shutdown(IntPtr connection, uint code, byte* text);

    [DllImport(Library)]
    public static extern void ipc_connection_shutdown_at(IntPtr connection, uint code, byte* text, ulong handled);

    [DllImport(Library)]
    public static extern ulong ipc_connection_handled(IntPtr connection);

    [DllImport(Library)]
    public static extern IntPtr ipc_connection_writer(IntPtr connection);

    [DllImport(Library)]
    public static extern IntPtr ipc_connection_reader(IntPtr connection);

    [DllImport(Library)]
    public static extern byte ipc_connection_is_open(IntPtr connection);

    [DllImport(Library)]
    public static extern uint ipc_connection_close_code(IntPtr connection);

    [DllImport(Library)]
    public static extern uint ipc_connection_close_text(IntPtr connection, byte* text, uint size);

    [DllImport(Library)]
    public static extern int ipc_connection_peer_pid(IntPtr connection);

    [DllImport(Library)]
    public static extern uint ipc_connection_peer_user(IntPtr connection);

    [DllImport(Library)]
    public static extern uint ipc_connection_protocol_version(IntPtr connection);

    [DllImport(Library)]
    public static extern void* ipc_connection_hello(IntPtr connection, uint* length);

    [DllImport(Library)]
    public static extern void ipc_listener_resume(IntPtr listener);

    [DllImport(Library)]
    public static extern uint ipc_connection_slot(IntPtr connection);
}
