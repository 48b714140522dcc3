namespace Ipc.Tool;

/// <summary>A ring, docs/wire-format.md section 4.</summary>
/// <remarks>
/// The walk from the read position over published headers to the first zero is the new writer's, and has its danger: a living reader zeroes
/// what it released. So the read position is read again afterwards, and the walk is done again when it has passed what was walked. A header
/// that makes no sense is damage only when the reader has not passed it either.
/// </remarks>
internal static class RingInspector
{
    private const int QuickRecords = 50_000, Attempts = 8, WindowSize = 64 * 1024;

    public static void ReadRegion(RegionLook look, RegionReport report, InspectionDepth depth)
    {
        RingReport ring = Read(look, look.Body, depth, report, out ulong poolOffset);
        report.Ring = ring;
        report.Depth = report.Unread = ring.Records;
        report.DepthText = $"{ring.Records}{(ring.More ? "+" : "")} ({Human.Bytes(ring.Used)} of {Human.Bytes(ring.Capacity)})";
        report.Counters = new Counters(report.Id!, "bytes", ring.Tail, ring.ReadPosition);
        if (poolOffset != 0)
            report.Pool = PoolInspector.Read(look, poolOffset, report);
    }

    public static RingReport Read(RegionLook look, ulong headerOffset, InspectionDepth depth, RegionReport report, out ulong poolOffset)
    {
        if (headerOffset % 128 != 0 || headerOffset < RegionHeader.ByteSize)
            throw new DamageException($"a ring header at {headerOffset}; a multiple of 128 was expected");
        RingHeader header = look.Read<RingHeader>(headerOffset, "a ring header");
        KindInspector.CheckMagic(header.Magic, RingHeader.MagicValue, "ring");
        if (!RingGeometry.IsCapacity(header.Capacity))
            throw new DamageException($"a ring of {header.Capacity} bytes; a power of two from {RingHeader.MinCapacity} to {RingHeader.MaxCapacity} was expected");
        if (header.DataOffset % RingHeader.DataAlignment != 0 || header.DataOffset < headerOffset + RingHeader.ByteSize ||
            header.DataOffset > look.Size || header.Capacity > look.Size - header.DataOffset)
        {
            throw new DamageException($"a ring's {header.Capacity} bytes of data at {header.DataOffset}; they must begin at a multiple of {RingHeader.DataAlignment} and end within {look.Size}");
        }

        poolOffset = header.PoolOffset;
        RingWalk walk = Walk(look, headerOffset, header, depth, report);
        return new RingReport
        {
            Capacity = header.Capacity,
            DataOffset = header.DataOffset,
            Writer = header.Writer == 0 ? null : (int)header.Writer - 1,
            WriterState = StateName(header.WriterState),
            Reader = header.Reader == 0 ? null : (int)header.Reader - 1,
            ReaderState = StateName(header.ReaderState),
            WriterProcessor = KindInspector.Processor(header.WriterProcessor),
            ReaderProcessor = KindInspector.Processor(header.ReaderProcessor),
            WriterSpin = IsGone(look, header.WriterState, header.Writer) ? null : SpinReport.Of(header.WriterSpin),
            ReaderSpin = IsGone(look, header.ReaderState, header.Reader) ? null : SpinReport.Of(header.ReaderSpin),
            ReadPosition = walk.ReadPosition,
            FreePosition = header.FreePosition,
            Tail = walk.Tail,
            Records = walk.Records,
            More = walk.More,
            Used = walk.Tail - walk.ReadPosition,
            Data = WaiterReport.Of(header.Data),
            Space = WaiterReport.Of(header.Space, isSpace: true),
        };
    }

    private static RingWalk Walk(RegionLook look, ulong headerOffset, in RingHeader header, InspectionDepth depth, RegionReport report)
    {
        const ulong ReadPositionOffset = 256;
        ulong from = header.ReadPosition;
        if (from % RecordHeader.Line != 0 || header.FreePosition % RecordHeader.Line != 0 || from - header.FreePosition > header.Capacity)
        {
            throw new DamageException($"read position {from}, free position {header.FreePosition}: both must be multiples of {RecordHeader.Line}, " +
                $"the second at most {header.Capacity} behind the first");
        }

        for (int attempt = 0; ; attempt++)
        {
            string? wrong = TryWalk(look, header, from, depth == InspectionDepth.Quick ? QuickRecords : int.MaxValue, out RingWalk walk);
            ulong now = look.U64(headerOffset + ReadPositionOffset, "the read position");
            if (now == from || (wrong is null && now - from <= walk.Tail - from))
            {
                if (wrong is not null)
                    report.Damage.Add(wrong);
                return walk;
            }

            if (attempt == Attempts) // too fast for us: what was seen is of several moments
                return new RingWalk(now, now, 0, More: true);
            from = now;
        }
    }

    /// <summary>What is wrong, or null.</summary>
    private static string? TryWalk(RegionLook look, in RingHeader ring, ulong from, int limit, out RingWalk walk)
    {
        var window = new FileWindow(look, (int)System.Math.Min(WindowSize, ring.Capacity));
        ulong mask = ring.Capacity - 1, at = from;
        long records = 0;
        string? wrong = null;
        while (at - from < ring.Capacity && records < limit)
        {
            ulong header = window.U64(ring.DataOffset + (at & mask), "a record");
            if (header == 0)
                break;
            wrong = Judge(header, at, ring, out ulong size, out bool isPadding);
            if (wrong is not null)
                break;
            at += size;
            records += isPadding ? 0 : 1;
        }

        walk = new RingWalk(from, at, records, More: records >= limit);
        return wrong;
    }

    /// <summary>What is wrong with a record's header, or null.</summary>
    public static string? Judge(ulong header, ulong position, in RingHeader ring, out ulong size, out bool isPadding)
    {
        ulong tag = header >> RecordHeader.TagShift;
        uint length = RecordHeader.LengthOf(header);
        ulong rest = ring.Capacity - (position & (ring.Capacity - 1));
        size = RecordHeader.SizeOf(length);
        isPadding = tag == RecordHeader.PaddingTag;
        bool isKnown = isPadding || tag == RecordHeader.RecordTag || (tag == RecordHeader.LoanTag && length == LoanDescriptor.ByteSize && ring.PoolOffset != 0);
        if (!isKnown)
            return $"the record at position {position} begins with 0x{header:X16}: no record does";
        if (isPadding ? size != rest : size > rest || length > ring.Capacity / 2 - RecordHeader.ByteSize)
            return $"{(isPadding ? "padding" : "a record")} of {size} bytes at position {position}, where {rest} are left of the lap of {ring.Capacity}";
        return null;
    }

    /// <summary>How it waited is no news any more. An end of a connection has neither state nor owner and is not gone. An owner beyond the table
    /// is nobody, whoever locks the byte that would be his.</summary>
    private static bool IsGone(RegionLook look, uint state, uint owner) =>
        (PeerState)state is PeerState.Left or PeerState.Died || owner > (uint)look.Geometry.ParticipantCapacity ||
        owner != 0 && !Region.IsAlive(look.File, (int)owner - 1);

    private static string StateName(uint state) => (PeerState)state switch
    {
        PeerState.Live => "live",
        PeerState.Left => "left",
        PeerState.Died => "died",
        _ => state == 0 ? "never attached" : $"{state}, which is no state",
    };
}
