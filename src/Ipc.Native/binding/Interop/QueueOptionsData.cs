using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_queue_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct QueueOptionsData
{
    public uint BlockSize;
    public uint BlockCount;
    public uint MaxExpansions;
    public uint MinExpansionDistance;
    public byte Preallocate;
    public byte DropOrphans;
    public byte SingleThread;
    public int Lifetime;
    public uint Participants;
    public ulong LoanBudget;
    public int OpenMode;
    public int WaitMode;
    public ulong SpinNs;
    public ulong Deadline;
    public void* Cancel;
    public void* Access;
}
