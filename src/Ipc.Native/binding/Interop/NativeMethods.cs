using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary>The functions of ipc.h that the binding uses, under their names there: declarations only.</summary>
/// <remarks>
/// Every argument is what C sees: integers and pointers, no strings, no <c>bool</c>, no objects. So the same declarations serve .NET
/// Framework and compile to direct calls elsewhere, ahead of time too: the assembly switches the runtime's marshalling off, and there
/// is nothing left for a generator to generate.
/// </remarks>
internal static unsafe partial class NativeMethods
{
    public const string Library = "ipc";

    [DllImport(Library)]
    public static extern uint ipc_version_number();

    [DllImport(Library)]
    public static extern void ipc_keep_mapped(int keep);

    [DllImport(Library)]
    public static extern byte* ipc_last_error();

    [DllImport(Library)]
    public static extern int ipc_last_errno();

    [DllImport(Library)]
    public static extern ulong ipc_deadline_after(ulong nanoseconds);

    [DllImport(Library)]
    public static extern NativeStatus ipc_cancel_create(void** cancel);

    [DllImport(Library)]
    public static extern void ipc_cancel_trigger(void* cancel);

    [DllImport(Library)]
    public static extern void ipc_cancel_destroy(void* cancel);

    [DllImport(Library)]
    public static extern NativeStatus ipc_clear(byte* name);
}
