using System;

namespace Ipc;

/// <summary>Where the parts of a region are, every number checked. Read once from a hostile file, or laid out for a new
/// one.</summary>
internal readonly struct RegionGeometry
{
    public const int MinSize = 4096;
    public const int MaxParticipants = 4096;
    public const int CheckedBytes = 512;

    private RegionGeometry(
        ulong totalSize,
        uint participantCapacity,
        uint participantOffset,
        ulong bodyOffset,
        ulong bodySize,
        Lifetime lifetime,
        in FileRange first, in FileRange second)
    {
        TotalSize = totalSize;
        ParticipantCapacity = (int)participantCapacity;
        ParticipantOffset = participantOffset;
        BodyOffset = bodyOffset;
        BodySize = bodySize;
        Lifetime = lifetime;
        FirstReserved = first;
        SecondReserved = second;
    }

    public ulong TotalSize { get; }
    public int ParticipantCapacity { get; }
    public uint ParticipantOffset { get; }
    public ulong BodyOffset { get; }
    public ulong BodySize { get; }
    public Lifetime Lifetime { get; }

    /// <summary>Of a new region: what gets memory at once. The rest are holes in the file, see docs/wire-format.md
    /// section 7.</summary>
    public FileRange FirstReserved { get; }

    /// <summary>A further such range; may be empty.</summary>
    public FileRange SecondReserved { get; }

    /// <summary>A new region: header, table, body from <paramref name="bodyOffset"/> on. All of it gets
    /// memory.</summary>
    public static RegionGeometry For(int participants, ulong bodyOffset, ulong bodySize, Lifetime lifetime) =>
        ForSparse(participants, bodyOffset, bodySize, lifetime, bodyOffset + bodySize, default);

    /// <summary>A new region of which only the first <paramref name="reservedSize"/> bytes and a further range get
    /// memory now.</summary>
    public static RegionGeometry ForSparse(
        int participants,
        ulong bodyOffset,
        ulong bodySize,
        Lifetime lifetime,
        ulong reservedSize,
        in FileRange further) =>
        new(
            bodyOffset + bodySize,
            (uint)participants,
            RegionHeader.ByteSize,
            bodyOffset,
            bodySize,
            lifetime,
            new FileRange(0, reservedSize),
            further);

    /// <summary>The end of the participant table, where a body can begin.</summary>
    public static ulong TableEnd(int participants) =>
        RegionHeader.ByteSize + (ulong)participants * ParticipantEntry.ByteSize;

    /// <summary>Checks the first bytes of a file against its size, field by field; throws what is wrong, with both
    /// values.</summary>
    public static unsafe RegionGeometry Check(ReadOnlySpan<byte> start, long fileSize, KindNumber kind, string path)
    {
        if (fileSize < MinSize || start.Length < CheckedBytes)
            Throw.Corrupt(
                $"{path} has {fileSize} bytes, a region at least {MinSize}: it is truncated or not a region. Remove " +
                "it, or use another name.");

        fixed (byte* bytes = start)
        {
            RegionHeader* header = (RegionHeader*)bytes; // a private copy: read as often as we like
            if (header->Magic != RegionHeader.MagicValue)
                Throw.Corrupt(
                    $"{path} starts with 0x{header->Magic:X16}, a region with 0x{RegionHeader.MagicValue:X16}: it is " +
                    "not a region. Remove it, or use another name.");
            if (header->Major != RegionHeader.MajorVersion)
            {
                Throw.Status(
                    IpcStatus.WrongVersion,
                    $"{path} has layout version {header->Major}.{header->Minor}; this library speaks " +
                    $"{RegionHeader.MajorVersion}.{RegionHeader.MinorVersion}. Use libraries of the same major " +
                    "version on both sides.");
            }

            if (header->Kind != (uint)kind)
                Throw.Status(
                    IpcStatus.WrongKind,
                    $"{path} is a {NameOf(header->Kind)}, a {NameOf((uint)kind)} was expected. Use another name.");
            if (header->TotalSize != (ulong)fileSize || header->TotalSize % 4096 != 0)
                Throw.Corrupt(
                    $"{path} says that it has {header->TotalSize} bytes, the file has {fileSize}; both must be equal " +
                    "and a multiple of 4096.");
            if (header->ParticipantOffset != RegionHeader.ByteSize || header->ParticipantCapacity > MaxParticipants)
            {
                Throw.Corrupt(
                    $"{path}: participant table of {header->ParticipantCapacity} at {header->ParticipantOffset}; " +
                    "expected at most " +
                    $"{MaxParticipants} at {RegionHeader.ByteSize}.");
            }

            ulong tableEnd = TableEnd((int)header->ParticipantCapacity);
            if (header->BodyOffset % 128 != 0 || header->BodyOffset < tableEnd ||
                header->BodyOffset > header->TotalSize ||
                header->BodySize > header->TotalSize - header->BodyOffset)
            {
                Throw.Corrupt(
                    $"{path}: body of {header->BodySize} bytes at {header->BodyOffset}; it must begin at a multiple " +
                    "of 128 from " +
                    $"{tableEnd} on and end within {header->TotalSize}.");
            }

            if ((header->RegionIdLow | header->RegionIdHigh) == 0)
                Throw.Corrupt($"{path}: the region id is zero; it must not be.");
            if (header->State is not (RegionHeader.Live or RegionHeader.Retired))
                Throw.Corrupt($"{path}: state {header->State}; a region that has its name is live (1) or retired (2).");

            if (!IsLifetimeOf((KindNumber)header->Kind, (Lifetime)header->Lifetime))
                Throw.Corrupt(
                    $"{path}: lifetime {header->Lifetime}; a {NameOf(header->Kind)} has " +
                    $"{LifetimesOf((KindNumber)header->Kind)}.");

            return new RegionGeometry(
                header->TotalSize,
                header->ParticipantCapacity,
                header->ParticipantOffset,
                header->BodyOffset,
                header->BodySize,
                (Lifetime)header->Lifetime, default, default);
        }
    }

    /// <summary>Rings and queues know when they are empty; what belongs to a connection or a listener lives no longer
    /// than who made it.</summary>
    public static bool IsLifetimeOf(KindNumber kind, Lifetime lifetime) => lifetime switch
    {
        Lifetime.WhileUsed => true,
        Lifetime.UntilEmpty => kind is KindNumber.OfRing or KindNumber.OfQueue,
        Lifetime.Persistent => kind is not (KindNumber.OfListener or KindNumber.OfConnection),
        _ => false,
    };

    public static string LifetimesOf(KindNumber kind) => kind switch
    {
        KindNumber.OfRing or KindNumber.OfQueue => "WhileUsed (1), UntilEmpty (2) or Persistent (3)",
        KindNumber.OfListener or KindNumber.OfConnection => "WhileUsed (1)",
        _ => "WhileUsed (1) or Persistent (3)",
    };

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
        _ => $"region of kind {kind}",
    };
}
