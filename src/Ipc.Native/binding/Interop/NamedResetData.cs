using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_named_reset</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of
/// this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NamedResetData
{
    public const int NameMax = 120;

    public ulong Count;
    public fixed byte OldIdentity[NameMax + 1];
    public fixed byte NewIdentity[NameMax + 1];
    public ulong UnacknowledgedSent;
    public ulong UnacknowledgedReceived;
}
