using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_queue_info</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct QueueInfoData
{
    public uint BlockSize;
    public uint BlockCount;
    public uint Segments;
    public uint SegmentLimit;
    public uint Participants;
    public uint ParticipantCapacity;
    public uint GrowthFailures;
    public ulong Depth;
    public ulong Redelivered;
    public ulong Dropped;
    public ulong LoanBudget;
    public ulong LoansPresent;
    public ulong LoansExhausted;
}
