using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_connect_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct ConnectOptionsData
{
    public ulong ToServerCapacity;
    public ulong ToClientCapacity;
    public int WaitMode;
    public ulong SpinNs;
    public ulong Deadline;
    public void* Cancel;
    public void* Hello;
    public uint HelloLength;
    public ulong LoanBudget;
    public void* Access;
    public ushort ProtocolId;
    public byte ProtocolVersion;
    public byte ProtocolLeastVersion;
}
