using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_ring_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct RingOptionsData
{
    public ulong Capacity;
    public int OpenMode;
    public int WaitMode;
    public ulong SpinNs;
    public int Lifetime;
    public ulong Deadline;
    public void* Cancel;
    public ulong LoanBudget;
    public void* Access;
}
