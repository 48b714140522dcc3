using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>One row of the participant table. Twin of <c>ipc_participant_entry</c>; docs/wire-format.md section
/// 2.</summary>
[StructLayout(LayoutKind.Explicit, Size = ByteSize)]
internal struct ParticipantEntry
{
    public const int ByteSize = 128;
    public const uint Free = 0;
    public const uint Live = 1;

    public const uint RuntimeC = 1;
    public const uint RuntimeCSharp = 2;

    public const uint NotEnded = 0;
    public const uint EndedByLeaving = 1;
    public const uint EndedByDeath = 2;

    [FieldOffset(0)] public uint State;
    [FieldOffset(4)] public uint Generation; // +1 each time the entry is taken
    [FieldOffset(8)] public uint Pid;
    [FieldOffset(12)] public uint Role;
    [FieldOffset(16)] public ulong StartTime;
    [FieldOffset(24)] public ulong Attached;
    [FieldOffset(32)] public ulong PidNamespace;
    [FieldOffset(40)] public uint Runtime;
    [FieldOffset(44)] public uint Ended; // written before State becomes free

    // A SpinWord, by the participant: for people who look, on a line that no other participant reads.
    [FieldOffset(64)] public ulong Spin;
    [FieldOffset(72)] public ulong RoomSpin; // of its waits for room, if it learns these apart; else 0
}
