using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The body of a listener region. Twin of <c>ipc_listener_header</c>; docs/wire-format.md section 5.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct ListenerHeader
{
    public const int ByteSize = 384;
    public const uint MagicValue = 0x4E54534C; // "LSTN"
    public const uint Open = 1;
    public const uint Closed = 2;
    public const uint Followed = 3;

    // Written once, by the server.
    [FieldOffset(0)] public uint Magic;
    [FieldOffset(4)] public uint SlotCount;
    [FieldOffset(8)] public ulong SlotsOffset;
    [FieldOffset(16)] public ulong ReadyOffset;
    [FieldOffset(24)] public ulong MaxRingCapacity;

    [FieldOffset(32)] public uint Protocol; // what its connections speak; 0: says nothing
    [FieldOffset(36)] public uint HandsOver; // 1: its server looks whether another one has the name

    [FieldOffset(128)] public uint ServerState;
    [FieldOffset(256)] public WaiterWords Doorbell;
}
