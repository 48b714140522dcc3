using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_topic_options</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct TopicOptionsData
{
    public uint BlockSize;
    public uint BlockCount;
    public uint MaxReaders;
    public uint MaxWriters;
    public byte SingleWriter;
    public uint AllowedPolicies;
    public ulong LoanBudget;
    public int Lifetime;
    public int OpenMode;
    public int WaitMode;
    public ulong SpinNs;
    public ulong Deadline;
    public void* Cancel;
    public int Policy;
    public int Join;
    public void* Ignore;
    public void* Access;
}
