using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_change</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ChangeData
{
    public int Kind;
    public ParticipantInfoData Participant;
}
