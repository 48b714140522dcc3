using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_access</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct AccessData
{
    public const int MaxUsers = 32;

    public int Kind;
    public uint Group;
    public uint UserCount;
    public fixed uint Users[MaxUsers];
}
