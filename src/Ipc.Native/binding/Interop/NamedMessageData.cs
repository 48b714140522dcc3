using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_named_message</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests
/// of this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NamedMessageData
{
    public void* Payload;
    public uint Length;
    public ushort Type;
    public byte Redelivered;
    public ulong Sequence;
}
