using System;
using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>A ring's records, docs/wire-format.md section 4.</summary>
/// <remarks>What the reader has released stays where it is until it gives the space back, an eighth of the ring at a time: a tap that looks often enough sees all.</remarks>
internal sealed class RingTap : Tap
{
    private const ulong ReadPositionOffset = 256, FreePositionOffset = 384;
    private readonly RegionLook _look;
    private readonly ulong _ring;
    private readonly RingHeader _header;
    private readonly PoolTap? _pool;
    private ulong _position;

    public RingTap(RegionLook look, ulong ringOffset, bool fromOldest)
    {
        _look = look;
        _ring = ringOffset;
        var report = new RegionReport { Name = "", Path = "" };
        RingReport now = RingInspector.Read(look, ringOffset, InspectionDepth.Full, report, out ulong pool);
        if (report.Damage.Count > 0)
            throw new DamageException(report.Damage[0]);
        _header = look.Read<RingHeader>(ringOffset, "a ring");
        _pool = pool == 0 ? null : new PoolTap(look, pool);
        _position = fromOldest ? now.FreePosition : now.Tail;
    }

    public override string Unit => "bytes";

    public override IEnumerable<TappedMessage> Poll()
    {
        for (int strikes = 0; ;)
        {
            ulong header = _look.U64(At(_position), "a record");
            string? wrong = header == 0 ? null : RingInspector.Judge(header, _position, _header, out _, out _);
            if (header == 0 || wrong is not null)
            {
                // What makes no sense may have been half-way to its next use: only when it stays so it is damage.
                if (SkipTo(ReadPosition()))
                    strikes = 0;
                else if (wrong is null)
                    yield break;
                else if (++strikes == 2)
                    throw new DamageException(wrong);
                continue;
            }

            ulong at = _position;
            TappedMessage? message = Copy(header, at, out ulong size);
            if (FreePosition() > at && _look.U64(At(at), "a record") != header)
            {
                SkipTo(Math.Max(ReadPosition(), at + size));
                continue;
            }

            _position = at + size;
            if (message is not null)
                yield return message;
        }
    }

    private TappedMessage? Copy(ulong header, ulong position, out ulong size)
    {
        RingInspector.Judge(header, position, _header, out size, out bool isPadding);
        if (isPadding)
            return null;
        byte[] payload = new byte[RecordHeader.LengthOf(header)];
        _look.Read(At(position) + RecordHeader.ByteSize, payload, "a record");
        bool isLoan = header >> RecordHeader.TagShift == RecordHeader.LoanTag;
        if (isLoan && _pool?.Read(payload) is { } loaned)
            return new TappedMessage(position, RecordHeader.TypeOf(header), loaned) { IsLoan = true };
        if (!isLoan)
            return new TappedMessage(position, RecordHeader.TypeOf(header), payload);
        Missed += size;
        return null;
    }

    private bool SkipTo(ulong position)
    {
        if (position <= _position || position % RecordHeader.Line != 0)
            return false;
        Missed += position - _position;
        _position = position;
        return true;
    }

    private ulong ReadPosition() => _look.U64(_ring + ReadPositionOffset, "the read position");

    private ulong FreePosition() => _look.U64(_ring + FreePositionOffset, "the free position");

    private ulong At(ulong position) => _header.DataOffset + (position & (_header.Capacity - 1));
}
