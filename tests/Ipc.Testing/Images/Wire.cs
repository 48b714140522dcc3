namespace Ipc.Testing.Images;

/// <summary>The numbers of docs/wire-format.md, typed again: neither library is asked. Offsets in bytes.</summary>
public static class Wire
{
    public const int Page = 4096, Line = 64;

    public static class Region
    {
        public const ulong MagicValue = 0x0A314E4752435049; // "IPCRGN1\n"
        public const int Magic = 0, Major = 8, Minor = 10, Kind = 12, TotalSize = 16, ParticipantOffset = 24, ParticipantCapacity = 28;
        public const int BodyOffset = 32, BodySize = 40, Id = 48, Created = 64, CreatorPid = 72, Flags = 76;
        public const int State = 128, Recoveries = 132, Change = 256, Participants = 1024;
        public const uint KindRing = 1, KindListener = 2, KindConnection = 3;
        public const uint StateLive = 1, StateRetired = 2, FlagPersistent = 1;
        public const long LockOfParticipant = 0x4000000000000000, LockOfRegion = 0x3FFFFFFFFFFFFFFF;
    }

    public static class Participant
    {
        public const int Size = 128;
        public const int State = 0, Generation = 4, Pid = 8, Role = 12, StartTime = 16, Attached = 24, PidNamespace = 32, Runtime = 40;
        public const uint RoleWriter = 1, RoleReader = 2, RoleServer = 4, RoleClient = 8;
    }

    public static class Waiter
    {
        public const int Word = 0, FenceRequired = 4, Wanted = 8;
    }

    public static class Ring
    {
        public const uint MagicValue = 0x474E4952; // "RING"
        public const int Size = 1024, Magic = 0, Capacity = 8, DataOffset = 16, Writer = 128, WriterState = 132, Reader = 136;
        public const int ReaderState = 140, ReadPosition = 256, FreePosition = 384, Data = 512, Space = 640;
        public const uint Never = 0, Live = 1, Left = 2, Died = 3;
        public const ulong Published = 1UL << 63, Padding = 1UL << 62;
    }

    public static class Listener
    {
        public const uint MagicValue = 0x4E54534C; // "LSTN"
        public const int Magic = 0, SlotCount = 4, SlotsOffset = 8, ReadyOffset = 16, MaxRingCapacity = 24, ServerState = 128, Doorbell = 256;
        public const int Size = 384, SlotSize = 128, SlotState = 0, SlotConnectionId = 8;
        public const uint ServerOpen = 1, ServerClosed = 2, Idle = 0, Opening = 1, Requested = 2, Attached = 3;
    }

    public static class Connection
    {
        public const uint MagicValue = 0x4E4E4F43; // "CONN"
        public const int Magic = 0, Slot = 4, ToServer = 8, ToClient = 16, Id = 24, Reply = 128, ServerClose = 132, ServerTextLength = 136;
        public const int ServerText = 144, ClientClose = 512, HelloLength = 516, Hello = 528, Session = 768, Rings = 1024;
    }
}
