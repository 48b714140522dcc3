using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a connection region. Twin of <c>ipc_connection_header</c>; docs/wire-format.md section
/// 6.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal unsafe struct ConnectionHeader
{
    public const int ByteSize = 1024;
    public const uint MagicValue = 0x4E4E4F43; // "CONN"
    public const int TextCapacity = 240;
    public const int ToServerRing = 1024; // from the start of the body
    public const int ToClientRing = 2048;

    public const uint NoReply = 0;
    public const uint Accepted = 1;
    public const uint Refused = 2;

    // Written once, by the client.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint Slot;
    [FieldOffset(8)] public ulong ToServer;
    [FieldOffset(16)] public ulong ToClient;
    [FieldOffset(24)] public ulong ConnectionId;

    // Written by the server.
    [FieldOffset(128)] public uint Reply;
    [FieldOffset(132)] public uint ServerClose;
    [FieldOffset(136)] public uint ServerTextLength;
    // on which the server last waited for this client or woke it, + 1; 0 unknown
    [FieldOffset(140)] public uint ServerProcessor;
    [FieldOffset(144)] public fixed byte ServerText[TextCapacity];
    // 1 + the position in the ring to the server from which on it has handled nothing; 0: says nothing
    [FieldOffset(384)] public ulong ServerHandled;

    // Written by the client.
    [FieldOffset(512)] public uint ClientClose;
    [FieldOffset(516)] public uint HelloLength;
    [FieldOffset(520)] public uint ClientProcessor; // likewise
    [FieldOffset(524)] public uint Protocol; // which version of it the client is going to speak; 0: says nothing
    [FieldOffset(528)] public fixed byte Hello[TextCapacity];

    [FieldOffset(768)] public WaiterWords Session;
}
