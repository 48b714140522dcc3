using System.Runtime.InteropServices;

namespace Ipc.Native;

/// <summary><c>ipc_named_end</c>. Its size stands in tests/native/regions/binding_layout_test.c and in the tests of
/// this library as well.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NamedEndData
{
    public const int TextMax = 240;

    public uint Code;
    public byte Died;
    public fixed byte Text[TextMax + 1];
}
