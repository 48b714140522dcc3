using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_block</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct BlockData
{
    public void* Payload;
    public uint Length;
    public ushort Type;
    public byte Redelivered;
    public fixed ulong Reserved[4];
}
