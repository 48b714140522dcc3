using System.Text;

namespace Ipc;

/// <summary>A named connection's part in entering, leaving and recovery; docs/wire-format.md section 14.</summary>
/// <remarks>Each participant has an end of both rings: the client writes <c>to_server</c> and reads <c>to_client</c>.
/// The words in the rings' headers say who, as in a ring's own region, and each ring is taken over as there.</remarks>
internal sealed unsafe class NamedKind : RegionKind
{
    public static readonly NamedKind Instance = new();

    private const ulong MaxSequence = 1UL << 62; // nobody gets there

    public override KindNumber Number => KindNumber.OfNamedConnection;

    public override Lifetime DefaultLifetime => Lifetime.Persistent;

    public override void CheckBody(Region region)
    {
        if (region.Geometry.BodySize < NamedHeader.ByteSize)
            Throw.Corrupt(
                $"{region.Path}: a named connection's body of {region.Geometry.BodySize} bytes; it has at least " +
                $"{NamedHeader.ByteSize}.");

        NamedHeader* header = HeaderOf(region);
        uint magic = Atomic.LoadAcquire(ref header->Magic);
        if (magic != NamedHeader.MagicValue)
            Throw.Corrupt(
                $"{region.Path}: named connection magic 0x{magic:X8}, expected 0x{NamedHeader.MagicValue:X8}.");
        NamedEntrance entrance = Of(region);
        CheckName(region, "server", header->Server, Atomic.LoadAcquire(ref header->ServerLength), entrance.Server);
        CheckName(region, "client", header->Client, Atomic.LoadAcquire(ref header->ClientLength), entrance.Client);
        ulong end = region.Geometry.BodyOffset + region.Geometry.BodySize;
        entrance.ToServer = RingGeometry.Check(region, Atomic.LoadAcquire(ref header->ToServer), end);
        entrance.ToClient = RingGeometry.Check(region, Atomic.LoadAcquire(ref header->ToClient), end);
        RingGeometry.CheckApart(region.Path, entrance.ToServer, entrance.ToClient);
        if (entrance.ToServer.HeaderOffset < region.Geometry.BodyOffset + NamedHeader.ByteSize ||
            entrance.ToClient.HeaderOffset < region.Geometry.BodyOffset + NamedHeader.ByteSize)
        {
            Throw.Corrupt(
                $"{region.Path}: ring headers at {entrance.ToServer.HeaderOffset} and " +
                $"{entrance.ToClient.HeaderOffset}; they stand behind the body's, which ends at " +
                $"{region.Geometry.BodyOffset + NamedHeader.ByteSize}.");
        }
    }

    public override void Admit(Region region, ParticipantRole role)
    {
        NamedEntrance entrance = Of(region);
        string what = entrance.IsClient ? $"client \"{entrance.Client}\"" : $"server \"{entrance.Server}\"";
        RingRoles.CheckFree(region, HeaderOf(region, entrance.Written), isWriter: true, what);
        RingRoles.CheckFree(region, HeaderOf(region, entrance.Read), isWriter: false, what);
        entrance.WriterStart = RingTakeOver.Of(region, entrance.Written, isWriter: true);
        entrance.NextSequence = 1 + SequenceBefore(region, entrance.Written, entrance.WriterStart);
        entrance.Acknowledged = Check(
            region, Atomic.LoadAcquire(ref HeaderOf(region, entrance.Read)->Acknowledged)); // [acknowledge]
        entrance.ReaderStart = RingTakeOver.Of(region, entrance.Read, isWriter: false);
    }

    public override void Enter(Region region, int index, ParticipantRole role)
    {
        NamedEntrance entrance = Of(region);
        RingRoles.Enter(HeaderOf(region, entrance.ToServer), index, isWriter: entrance.IsClient);
        RingRoles.Enter(HeaderOf(region, entrance.ToClient), index, isWriter: !entrance.IsClient);
    }

    public override bool Names(Region region, int index) =>
        RingRoles.Names(HeaderOf(region, Of(region).ToServer), index) ||
        RingRoles.Names(HeaderOf(region, Of(region).ToClient), index);

    public override void CleanUp(Region region, int index, bool died)
    {
        PeerState state = died ? PeerState.Died : PeerState.Left;
        RingRoles.Vacate(HeaderOf(region, Of(region).ToServer), index, state);
        RingRoles.Vacate(HeaderOf(region, Of(region).ToClient), index, state);
    }

    public override void Wake(Region region)
    {
        RingRoles.Wake(HeaderOf(region, Of(region).ToServer));
        RingRoles.Wake(HeaderOf(region, Of(region).ToClient));
        // a server that had armed its ring sleeps elsewhere, and its flag is gone
        Of(region).Ends?.NotifySession();
    }

    public static RingHeader* HeaderOf(Region region, in RingGeometry ring) =>
        (RingHeader*)(region.Base + ring.HeaderOffset);

    /// <summary>Of the last message that is not released; what is acknowledged when there is none. Of a moment, while a
    /// writer lives.</summary>
    public static ulong LastSequence(Region region, in RingGeometry ring)
    {
        ulong last = RingTakeOver.LastRecord(region, ring);
        return last == RingStart.None
            ? Atomic.LoadAcquire(ref HeaderOf(region, ring)->Acknowledged) // [acknowledge]
            : SequenceAt(region, ring, last);
    }

    /// <summary>Before the message that a new writer sends first: of the last one that is there, or, when all have been
    /// released, that was acknowledged.</summary>
    private static ulong SequenceBefore(Region region, in RingGeometry ring, in RingStart start)
    {
        RingHeader* header = HeaderOf(region, ring);
        // before the look at the read position: what is not released by then was not when it was read
        ulong last = start.LastRecord == RingStart.None ? 0 : SequenceAt(region, ring, start.LastRecord);
        ulong read = Atomic.LoadAcquire(ref header->ReadPosition); // [release]
        if (read == start.Position)
            return Check(region, Atomic.LoadAcquire(ref header->Acknowledged)); // [acknowledge]
        if (last == 0)
            Throw.Corrupt(
                $"{region.Path}: the last message, at position {start.LastRecord}, has no number. Remove this named " +
                "connection, and begin anew.");
        return Check(region, last);
    }

    /// <summary>0: there is none. Checked by the walk that has found it, but for a loan.</summary>
    private static ulong SequenceAt(Region region, in RingGeometry ring, ulong position)
    {
        ulong* record = (ulong*)(region.Base + ring.DataOffset + (position & (ring.Capacity - 1)));
        ulong header = Atomic.LoadAcquire(ref *record); // [publish]; 0 by now: a reader has released it
        if (header >> RecordHeader.TagShift != RecordHeader.LoanTag)
            return RecordHeader.LengthOf(header) < sizeof(ulong) ? 0 : Atomic.LoadAcquire(ref record[1]);
        LoanDescriptor descriptor = *(LoanDescriptor*)(record + 1); // a copy: checked and used
        string? wrong = ring.Pool!.Resolve(descriptor, out Loan loan);
        return wrong is null && descriptor.Length >= sizeof(ulong) ? Atomic.LoadAcquire(ref *(ulong*)loan.Bytes) : 0;
    }

    private static ulong Check(Region region, ulong sequence)
    {
        if (sequence > MaxSequence)
            Throw.Corrupt(
                $"{region.Path}: message {sequence}; a conversation has at most {MaxSequence}. Remove it, and begin " +
                "anew.");
        return sequence;
    }

    private static void CheckName(Region region, string whose, byte* written, uint length, string expected)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(expected);
        bool same = length == bytes.Length;
        for (int i = 0; same && i < bytes.Length; i++)
            same = written[i] == bytes[i];
        if (!same)
            Throw.Corrupt(
                $"{region.Path} is not the named connection of the {whose} \"{expected}\": a name of {length} bytes " +
                "stands in it, and another one.");
    }

    private static NamedEntrance Of(Region region) => (NamedEntrance)region.Entrance;

    private static NamedHeader* HeaderOf(Region region) => (NamedHeader*)region.Body;
}
