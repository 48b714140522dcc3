using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_named_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests
/// of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NamedOptionsData
{
    public ulong ToServerCapacity;
    public ulong ToClientCapacity;
    public ulong LoanBudget;
    public int WaitMode;
    public ulong SpinNs;
    public void* Login;
    public uint LoginLength;
    public byte NoReconnect;
}
