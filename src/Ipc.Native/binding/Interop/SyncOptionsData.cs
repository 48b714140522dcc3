using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_sync_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct SyncOptionsData
{
    public uint Permits;
    public byte ManualReset;
    public byte InitiallySet;
    public int Lifetime;
    public int OpenMode;
    public int WaitMode;
    public ulong SpinNs;
    public ulong Deadline;
    public void* Cancel;
    public void* Access;
}
