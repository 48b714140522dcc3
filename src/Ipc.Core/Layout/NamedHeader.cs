using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a named connection's region. Twin of <c>ipc_named_header</c>; docs/wire-format.md section
/// 14.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal unsafe struct NamedHeader
{
    public const int ByteSize = 3072;
    public const uint MagicValue = 0x444D414E; // "NAMD"
    public const int NameCapacity = 120;
    public const int DataCapacity = 1024;
    public const int IdSize = 16;
    public const int ToServerRing = 3072; // from the start of the body
    public const int ToClientRing = 4096;

    // Written once, by the client that makes it.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(8)] public ulong ToServer;
    [FieldOffset(16)] public ulong ToClient;
    [FieldOffset(24)] public uint ServerLength;
    [FieldOffset(28)] public uint ClientLength;
    [FieldOffset(32)] public fixed byte Server[NameCapacity];
    [FieldOffset(160)] public fixed byte Client[NameCapacity];

    // What each side has bound the conversation to.
    [FieldOffset(288)] public uint ClientIsBound; // 1, once the id stands there
    [FieldOffset(292)] public uint ServerIsBound; // likewise
    [FieldOffset(296)] public fixed byte ClientBound[IdSize];
    [FieldOffset(312)] public fixed byte ServerBound[IdSize];

    // Written by the server.
    [FieldOffset(384)] public uint IdentityLength; // 0: no server has been here yet
    [FieldOffset(388)] public uint ReplyLength;
    [FieldOffset(392)] public fixed byte Identity[NameCapacity];
    [FieldOffset(512)] public fixed byte Reply[DataCapacity];

    // Written by the client.
    [FieldOffset(1664)] public uint LoginLength;
    [FieldOffset(1672)] public fixed byte Login[DataCapacity];
}
