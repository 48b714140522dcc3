namespace Ipc.Testing.Images;

/// <summary>The numbers of docs/wire-format.md, typed again: neither library is asked. Offsets in bytes.</summary>
public static class Wire
{
    public const int Page = 4096, Line = 64;

    public static class Region
    {
        public const ulong MagicValue = 0x0A314E4752435049; // "IPCRGN1\n"
        public const int Magic = 0, Major = 8, Minor = 10, Kind = 12, TotalSize = 16, ParticipantOffset = 24, ParticipantCapacity = 28;
        public const int BodyOffset = 32, BodySize = 40, Id = 48, Created = 64, CreatorPid = 72, Lifetime = 76;
        public const int State = 128, Recoveries = 132, Change = 256, Participants = 1024;
        public const uint KindRing = 1, KindListener = 2, KindConnection = 3, KindQueue = 4, KindTopic = 5, KindMutex = 7, KindSemaphore = 8, KindEvent = 9, KindNamed = 10;
        public const uint StateLive = 1, StateRetired = 2, WhileUsed = 1, UntilEmpty = 2, Persistent = 3;
        public const long LockOfParticipant = 0x4000000000000000, LockOfRegion = 0x3FFFFFFFFFFFFFFF;
    }

    public static class Participant
    {
        public const int Size = 128;
        public const int State = 0, Generation = 4, Pid = 8, Role = 12, StartTime = 16, Attached = 24, PidNamespace = 32, Runtime = 40, Ended = 44, Spin = 64, RoomSpin = 72;
        public const uint RoleWriter = 1, RoleReader = 2, RoleServer = 4, RoleClient = 8;
    }

    public static class Waiter
    {
        public const int Word = 0, FenceRequired = 4, Wanted = 8, FenceCount = 12;
    }

    public static class Ring
    {
        public const uint MagicValue = 0x474E4952; // "RING"
        public const int Size = 1024, Magic = 0, Capacity = 8, DataOffset = 16, PoolOffset = 24, Writer = 128, WriterState = 132, Reader = 136;
        public const int ReaderState = 140, ReadPosition = 256, Acknowledged = 272, FreePosition = 384, Data = 512, Space = 640;
        public const int ReaderSpin = 768, WriterSpin = 896;
        public const uint Never = 0, Live = 1, Left = 2, Died = 3;
        public const ulong Published = 1UL << 63, Padding = 1UL << 62, Loan = 1UL << 61;
    }

    public static class Listener
    {
        public const uint MagicValue = 0x4E54534C; // "LSTN"
        public const int Magic = 0, SlotCount = 4, SlotsOffset = 8, ReadyOffset = 16, MaxRingCapacity = 24, Protocol = 32, HandsOver = 36, ServerState = 128, Doorbell = 256;
        public const int Size = 384, SlotSize = 128, SlotIdShift = 8;
        public const uint ServerOpen = 1, ServerClosed = 2, ServerFollowed = 3, Idle = 0, Opening = 1, Requested = 2, Attached = 3;
    }

    public static class Connection
    {
        public const uint MagicValue = 0x4E4E4F43; // "CONN"
        public const int Magic = 0, Slot = 4, ToServer = 8, ToClient = 16, Id = 24, Reply = 128, ServerClose = 132, ServerTextLength = 136;
        public const int ServerText = 144, ClientClose = 512, HelloLength = 516, Protocol = 524, Hello = 528, Session = 768, Rings = 1024;
    }

    public static class Named
    {
        public const uint MagicValue = 0x444D414E; // "NAMD"
        public const int Magic = 0, ToServer = 8, ToClient = 16, ServerLength = 24, ClientLength = 28, Server = 32, Client = 160, IdentityLength = 384;
        public const int ClientIsBound = 288, ServerIsBound = 292, ClientBound = 296, ServerBound = 312;
        public const int ReplyLength = 388, Identity = 392, Reply = 512, LoginLength = 1664, Login = 1672, Rings = 3072, Participants = 16;
    }

    public static class Slot
    {
        public const int State = 0, Length = 8, Type = 12, Flags = 14, Key = 16, LoanLap = 24, Payload = 32;
        public const int Free = 0, Writing = 1, Ready = 2, Reading = 3, Gap = 4;
        public const int Sealed = 1, Redelivered = 2, Reclaimed = 4, HasLoan = 1;

        public static ulong Word(uint lap, int owner, int flags, int phase) => ((ulong)lap << 32) | ((ulong)owner << 16) | ((ulong)flags << 8) | (uint)phase;
    }

    public static class Queue
    {
        public const uint MagicValue = 0x55455551; // "QUEU"
        public const int Magic = 0, BlockSize = 4, SlotCount = 8, SegmentLimit = 12, Stride = 16, SegmentsOffset = 24, SegmentStride = 32;
        public const int Flags = 40, MinExpansionDistance = 44, PoolOffset = 48, Segments = 128, GrowthFailures = 132, Send = 256, Receive = 384;
        public const int Data = 512, Space = 640, Orphans = 768, OrphansCleared = 776, RedeliveredCount = 896, DroppedCount = 904;
        public const int SegmentHeaders = 1024, SegmentHeader = 384, Tail = 0, Head = 128, Next = 256;
    }

    public static class Topic
    {
        public const uint MagicValue = 0x43504F54; // "TOPC"
        public const int Magic = 0, BlockSize = 4, SlotCount = 8, MaxReaders = 12, Stride = 16, SlotsOffset = 24, ReadersOffset = 32, Flags = 40;
        public const int PoolOffset = 48, Tail = 128, Evictions = 136, Data = 256, Space = 384, Active = 512, Size = 1024;
        public const int ReaderEntry = 128, ReaderState = 0, ReaderPolicy = 4, ReaderCursor = 8, ReaderLost = 16, ReaderJoined = 24, ReaderEvictedAt = 32;
    }

    public static class Pool
    {
        public const uint MagicValue = 0x4C4F4F50; // "POOL"
        public const int Magic = 0, Classes = 4, Budget = 8, Exhausted = 128, Hints = 256, Blocks = 4096, Block = 32;
        public const int BlockState = 0, BlockHolder = 8, BlockClaimed = 16, BlockPresent = 20;
        public const int Free = 0, Owned = 1, Published = 2;
    }

    public static class Sync
    {
        public const uint MutexMagic = 0x5854554D, SemaphoreMagic = 0x414D4553, EventMagic = 0x544E5645;
        public const int Magic = 0, Permits = 4, Manual = 4, Word = 128, Waiter = 256, PermitTable = 512;
        public const uint MutexAbandoned = 1u << 31;
    }
}
