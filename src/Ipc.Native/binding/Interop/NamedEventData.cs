using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_named_event</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of
/// this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NamedEventData
{
    public int Kind;
    public void* Connection;
    public uint Code;
    public byte* Text;
}
