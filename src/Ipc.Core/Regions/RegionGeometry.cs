using System;

namespace Ipc;

/// <summary>Where the parts of a region are, every number checked. Read once from a hostile file, or laid out for a new
/// one.</summary>
internal readonly struct RegionGeometry
{
    public const int MinSize = 4096;
    public const int MaxParticipants = 4096;
    public const int MaxListenerParticipants = 16384; // the server and its clients
    public const int CheckedBytes = 512;

    private RegionGeometry(
        ulong totalSize,
        uint participantCapacity,
        uint participantOffset,
        ulong bodyOffset,
        ulong bodySize,
        Lifetime lifetime,
        FileRange[] reserved)
    {
        TotalSize = totalSize;
        ParticipantCapacity = (int)participantCapacity;
        ParticipantOffset = participantOffset;
        BodyOffset = bodyOffset;
        BodySize = bodySize;
        Lifetime = lifetime;
        Reserved = reserved;
    }

    public ulong TotalSize { get; }
    public int ParticipantCapacity { get; }
    public uint ParticipantOffset { get; }
    public ulong BodyOffset { get; }
    public ulong BodySize { get; }
    public Lifetime Lifetime { get; }

    /// <summary>Of a new region: what gets memory at once; ranges may be empty. The rest are holes in the file, see
    /// docs/wire-format.md section 7.</summary>
    public FileRange[] Reserved { get; }

    /// <summary>A new region: header, table, body from <paramref name="bodyOffset"/> on. All of it gets
    /// memory.</summary>
    public static RegionGeometry For(int participants, ulong bodyOffset, ulong bodySize, Lifetime lifetime) =>
        ForSparse(participants, bodyOffset, bodySize, lifetime, bodyOffset + bodySize);

    /// <summary>A new region of which only the first <paramref name="reservedSize"/> bytes and further ranges get
    /// memory now.</summary>
    public static RegionGeometry ForSparse(
        int participants,
        ulong bodyOffset,
        ulong bodySize,
        Lifetime lifetime,
        ulong reservedSize,
        params FileRange[] further) =>
        new(
            bodyOffset + bodySize,
            (uint)participants,
            RegionHeader.ByteSize,
            bodyOffset,
            bodySize,
            lifetime,
            [new FileRange(0, reservedSize), .. further]);

    /// <summary>The end of the participant table, where a body can begin.</summary>
    public static ulong TableEnd(int participants) =>
        RegionHeader.ByteSize + (ulong)participants * ParticipantEntry.ByteSize;

    /// <summary>Checks the first bytes of a file against its size, field by field; throws what is wrong, with both
    /// values.</summary>
    public static unsafe RegionGeometry Check(ReadOnlySpan<byte> start, long fileSize, KindNumber kind, string path)
    {
        if (fileSize < MinSize || start.Length < CheckedBytes)
            Throw.Corrupt(
                $"{path} has {fileSize} bytes, a region has at least {MinSize}: it is truncated or not a region; " +
                "remove it, or use another name.");

        fixed (byte* bytes = start)
        {
            RegionHeader* header = (RegionHeader*)bytes; // a private copy: read as often as we like
            if (header->Magic != RegionHeader.MagicValue)
                Throw.Corrupt(
                    $"{path} is not a region: it begins with {header->Magic:x16}, a region with " +
                    $"{RegionHeader.MagicValue:x16}; remove it, or use another name.");
            if (header->Major != RegionHeader.MajorVersion)
            {
                Throw.Status(
                    IpcStatus.WrongVersion,
                    $"{path} has layout version {header->Major}.{header->Minor}, this library has " +
                    $"{RegionHeader.MajorVersion}.{RegionHeader.MinorVersion}: use libraries of the same major " +
                    "version on both sides.");
            }

            if (header->Kind != (uint)kind)
                Throw.Status(
                    IpcStatus.WrongKind,
                    $"{path} is {OneOf(header->Kind)}, not {OneOf((uint)kind)}: use another name.");
            if (header->TotalSize != (ulong)fileSize)
                Throw.Corrupt(
                    $"{path}, {OneOf(header->Kind)}, says it has {header->TotalSize} bytes, the file has {fileSize}.");
            if (header->TotalSize % 4096 != 0)
                Throw.Corrupt($"{path} has {header->TotalSize} bytes, not a multiple of 4096.");
            if (header->ParticipantOffset != RegionHeader.ByteSize)
                Throw.Corrupt(
                    $"{path} has its participants at {header->ParticipantOffset}, they stand at " +
                    $"{RegionHeader.ByteSize}.");
            int most = kind == KindNumber.OfListener ? MaxListenerParticipants : MaxParticipants;
            if (header->ParticipantCapacity > most)
                Throw.Corrupt(
                    $"{path} has room for {header->ParticipantCapacity} participants, at most {most} are possible.");

            ulong tableEnd = TableEnd((int)header->ParticipantCapacity);
            if (header->BodyOffset % 128 != 0 || header->BodyOffset < tableEnd ||
                header->BodyOffset > header->TotalSize)
                Throw.Corrupt(
                    $"{path} has its body at {header->BodyOffset}, outside {tableEnd}..{header->TotalSize} or not on " +
                    "128 bytes.");
            if (header->BodySize > header->TotalSize - header->BodyOffset)
                Throw.Corrupt(
                    $"{path} has a body of {header->BodySize} bytes, there is room for " +
                    $"{header->TotalSize - header->BodyOffset}.");

            if ((header->RegionIdLow | header->RegionIdHigh) == 0)
                Throw.Corrupt($"{path} has a region id of zero.");
            if (header->State is not (RegionHeader.Live or RegionHeader.Retired))
                Throw.Corrupt($"{path} is in state {header->State}, neither live (1) nor retired (2).");

            if (!IsLifetimeOf((KindNumber)header->Kind, (Lifetime)header->Lifetime))
                Throw.Corrupt(
                    $"{path} has lifetime {header->Lifetime}, which is none that {OneOf(header->Kind)} can have.");

            return new RegionGeometry(
                header->TotalSize,
                header->ParticipantCapacity,
                header->ParticipantOffset,
                header->BodyOffset,
                header->BodySize,
                (Lifetime)header->Lifetime, []);
        }
    }

    /// <summary>Rings and queues know when they are empty; what belongs to a connection or a listener lives no longer
    /// than who made it, unless it is named.</summary>
    public static bool IsLifetimeOf(KindNumber kind, Lifetime lifetime) => lifetime switch
    {
        Lifetime.WhileUsed => kind != KindNumber.OfNamedConnection,
        Lifetime.UntilEmpty => kind is KindNumber.OfRing or KindNumber.OfQueue,
        Lifetime.Persistent => kind is not (KindNumber.OfListener or KindNumber.OfConnection),
        _ => false,
    };

    /// <summary>"a ring", "an event".</summary>
    public static string OneOf(uint kind) => (kind == (uint)KindNumber.OfEvent ? "an " : "a ") + NameOf(kind);

    public static string NameOf(uint kind) => kind switch
    {
        (uint)KindNumber.OfRing => "ring",
        (uint)KindNumber.OfListener => "listener",
        (uint)KindNumber.OfConnection => "connection",
        (uint)KindNumber.OfQueue => "queue",
        (uint)KindNumber.OfTopic => "topic",
        (uint)KindNumber.OfMutex => "mutex",
        (uint)KindNumber.OfSemaphore => "semaphore",
        (uint)KindNumber.OfEvent => "event",
        (uint)KindNumber.OfNamedConnection => "named connection",
        _ => $"region of kind {kind}",
    };
}
