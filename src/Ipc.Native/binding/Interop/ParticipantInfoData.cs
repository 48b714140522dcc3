using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_participant_info</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ParticipantInfoData
{
    public uint Index;
    public uint Generation;
    public uint Pid;
    public uint Role;
    public uint Runtime;
    public ulong Attached;
}
