using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_named_listener_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in
/// the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NamedListenerOptionsData
{
    public uint MaxConnections;
    public ulong MaxRingCapacity;
    public ulong MaxLoanBudget;
    public int WaitMode;
    public ulong SpinNs;
    public byte* Identity;
}
