using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_topic_info</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct TopicInfoData
{
    public uint BlockSize;
    public uint BlockCount;
    public uint MaxReaders;
    public uint Readers;
    public uint Writers;
    public ulong Tail;
    public ulong Behind;
    public ulong Lost;
    public ulong Conflated;
    public ulong Evictions;
    public ulong LoanBudget;
    public ulong LoansPresent;
    public ulong LoansExhausted;
}
