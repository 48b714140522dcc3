using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_message</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct MessageData
{
    public void* Payload;
    public uint Length;
    public ushort Type;
    public ulong Key;
    public ulong Position;
    public ulong Lost;
    public uint Writer;
}
