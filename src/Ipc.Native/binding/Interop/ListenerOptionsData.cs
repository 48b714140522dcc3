using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_listener_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct ListenerOptionsData
{
    public uint MaxConnections;
    public ulong MaxRingCapacity;
    public int WaitMode;
    public ulong SpinNs;
    public ulong MaxLoanBudget;
    public void* Access;
    public ushort ProtocolId;
    public byte ProtocolVersion;
    public byte ProtocolLeastVersion;
    public byte TakeOver;
}
