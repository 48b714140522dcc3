using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>One side's attachment to a named connection's region: an end of each ring, and the numbers of the messages.
/// A reset replaces it.</summary>
/// <remarks>The writing half is for one thread at a time, and so is the reading half. <c>acknowledged</c>, beside the
/// read position, is the truth about what is done; the read position follows it <c>[acknowledge]</c>. Messages that are
/// received and not acknowledged are remembered by where they end: their numbers are consecutive.</remarks>
internal sealed unsafe partial class NamedEnds : IDisposable
{
    public const int SequenceSize = sizeof(ulong);

    private readonly NamedEntrance _entrance;
    private readonly NamedHeader* _header;
    private readonly RingHeader* _writtenRing;
    private ulong _next;              // the writer's
    private ulong _last;              // the reader's
    private ulong _acknowledged;
    private ulong[] _ends = new ulong[16]; // of those behind it, by their number; a power of two
    private Connection? _session;
    private int _sessions;    // how often one came or went
    private int _writerSaw;   // _sessions, when that thread last looked for the server; so did:
    private int _readerSaw;
    private int _disposed;
    private bool _quiet; // nobody is inside, or holds a span

    private NamedEnds(Region region, NamedEntrance entrance, WaitStyle style)
    {
        Region = region;
        _entrance = entrance;
        _header = (NamedHeader*)region.Body;
        _writtenRing = NamedKind.HeaderOf(region, entrance.Written);
        _next = entrance.NextSequence;
        _last = _acknowledged = entrance.Acknowledged;
        RingStart writer = entrance.WriterStart, reader = entrance.ReaderStart;
        Writer = new RingWriter(
            new NamedLink(this, region, _writtenRing, isWriter: true), region.View, entrance.Written, style,
            writer.Position, writer.Free, (uint)region.Index + 1);
        Reader = new RingReader(
            new NamedLink(this, region, NamedKind.HeaderOf(region, entrance.Read), isWriter: false), region.View,
            entrance.Read, style, reader.Position, reader.RedeliverUntil);
        entrance.Ends = this;
    }

    public Region Region { get; }

    public RingWriter Writer { get; }

    public RingReader Reader { get; }

    /// <summary>By which both sides know that the other one is there.</summary>
    public Connection? Session
    {
        get => Atomic.LoadAcquire(ref _session);
        set
        {
            Atomic.Exchange(ref _session, value);
            Atomic.Increment(ref _sessions); // behind it: who sees another number sees the session that it counts
        }
    }

    /// <summary>Whoever waits here looks for the server when the session has ended.</summary>
    public bool IsFollowed { get; set; }

    public bool IsDisposed => Atomic.LoadAcquire(ref _disposed) != 0;

    public static NamedEnds Open(NamedEntrance entrance, OpenMode mode, WaitStyle style, CancellationToken token)
    {
        Region region = Region.Open(
            NamedEntrance.NameOf(entrance.Server, entrance.Client), entrance, mode, Deadline.Now, token);
        return new NamedEnds(region, entrance, style);
    }

    /// <summary>Null: there is no such conversation.</summary>
    public static NamedEnds? TryOpen(NamedEntrance entrance, WaitStyle style)
    {
        Region? region = Region.TryOpen(
            NamedEntrance.NameOf(entrance.Server, entrance.Client), entrance, Deadline.Now, CancellationToken.None);
        return region is null ? null : new NamedEnds(region, entrance, style);
    }

    public ulong Sent => Atomic.LoadAcquire(ref _next) - 1;

    public ulong Received => Atomic.LoadAcquire(ref _last);

    public ulong Acknowledged => Atomic.LoadAcquire(ref _acknowledged);

    /// <summary>How many of what was sent the other side has not acknowledged. It may say anything.</summary>
    public ulong Outstanding
    {
        get
        {
            if (!Region.View.TryUse())
                return 0;
            try
            {
                ulong acknowledged = Atomic.LoadAcquire(ref _writtenRing->Acknowledged); // [acknowledge]
                ulong sent = Sent;
                return acknowledged > sent ? 0 : sent - acknowledged;
            }
            finally
            {
                Region.View.Unuse();
            }
        }
    }

    [MethodImpl(Tiering.Optimized)]
    public Span<byte> Begin(Span<byte> payload)
    {
        Unsafe.WriteUnaligned(ref payload[0], _next);
        return payload.Slice(SequenceSize);
    }

    /// <summary>The number of the message whose claim is open; 0: it is closed, and the message is not sent.</summary>
    [MethodImpl(Tiering.Optimized)]
    public ulong Commit(int length, ushort type, bool publish)
    {
        bool committed = publish
            ? Writer.TryCommit(length + SequenceSize, type)
            : Writer.TryCommitBatched(length + SequenceSize, type);
        if (!committed)
            return 0;
        ulong sequence = _next;
        Atomic.StoreRelease(ref _next, sequence + 1);
        return sequence;
    }

    /// <summary>The next message. What a predecessor acknowledged and could not release any more is dropped: it lies
    /// before the take-over, so there is an end to it, whatever the other side writes.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool TryReceive(out NamedMessage message)
    {
        while (Reader.TryRead(out RingRecord record))
        {
            if (record.Payload.Length < SequenceSize)
                Throw.Corrupt(
                    $"{Region.Path}: a message of {record.Payload.Length} bytes behind message {_last}; it begins " +
                    $"with its number, {SequenceSize} bytes.");
            ulong sequence = Unsafe.ReadUnaligned<ulong>(ref Unsafe.AsRef(in record.Payload[0]));
            ulong last = _last;
            if (sequence <= _acknowledged && last == _acknowledged && record.Redelivered)
            {
                Reader.Release();
                continue;
            }

            if (sequence != last + 1)
                ThrowSequence(sequence);
            Remember(last - _acknowledged, Reader.Position);
            Atomic.StoreRelease(ref _last, sequence);
            message = new NamedMessage(
                record.Payload.Slice(SequenceSize), record.Type, record.Redelivered, sequence);
            return true;
        }

        message = default;
        return false;
    }

    /// <summary>Up to that number, or everything received when it is more; what is done already is not done
    /// again.</summary>
    /// <param name="sequence">The number.</param>
    /// <param name="isWatched">The ring is armed, perhaps: then nobody looks whether its writer waits for room.</param>
    [MethodImpl(Tiering.Optimized)]
    public void Acknowledge(ulong sequence, bool isWatched)
    {
        ulong last = _last;
        if (sequence > last)
            sequence = last;
        ulong acknowledged = _acknowledged;
        if (sequence <= acknowledged)
            return;
        ulong end = _ends[(int)(sequence - 1) & (_ends.Length - 1)];
        Atomic.StoreRelease(ref _acknowledged, sequence);
        Reader.Acknowledge(sequence, end, isWatched);
    }

    /// <summary>The bytes of a login or of a reply; null for what cannot be one.</summary>
    public byte[] ReadData(bool ofClient)
    {
        if (!Region.View.TryUse())
            return Array.Empty<byte>();
        try
        {
            uint length = Atomic.LoadAcquire(ref ofClient ? ref _header->LoginLength : ref _header->ReplyLength);
            length = Math.Min(length, NamedHeader.DataCapacity);
            return new ReadOnlySpan<byte>(ofClient ? _header->Login : _header->Reply, (int)length).ToArray();
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    public void WriteData(bool ofClient, ReadOnlySpan<byte> data)
    {
        if (!Region.View.TryUse())
            return;
        try
        {
            ref uint length = ref ofClient ? ref _header->LoginLength : ref _header->ReplyLength;
            Atomic.StoreRelease(ref length, 0);
            data.CopyTo(new Span<byte>(ofClient ? _header->Login : _header->Reply, NamedHeader.DataCapacity));
            Atomic.StoreRelease(ref length, (uint)data.Length);
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>Of the server that this conversation is with; null: none has been here yet.</summary>
    public byte[]? ReadIdentity()
    {
        if (!Region.View.TryUse())
            return null;
        try
        {
            uint length = Atomic.LoadAcquire(ref _header->IdentityLength); // [login]
            return length == 0
                ? null
                : new ReadOnlySpan<byte>(
                    _header->Identity, (int)Math.Min(length, NamedHeader.NameCapacity)).ToArray();
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>The server's.</summary>
    public void WriteIdentity(byte[] identity)
    {
        if (!Region.View.TryUse())
            return;
        try
        {
            identity.AsSpan().CopyTo(new Span<byte>(_header->Identity, NamedHeader.NameCapacity));
            Atomic.StoreRelease(ref _header->IdentityLength, (uint)identity.Length); // [login]
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    public long LargestRing => Math.Max(Writer.Capacity, Reader.Capacity);

    public long LargestBudget => (long)Math.Max(
        _entrance.ToServer.Pool?.Geometry.Budget ?? 0, _entrance.ToClient.Pool?.Geometry.Budget ?? 0);

    public long SendCapacity => Writer.Capacity + (long)(_entrance.Written.Pool?.Geometry.Budget ?? 0);

    /// <summary>A client's publish has taken the server's flag.</summary>
    public void NotifyServer()
    {
        if (_entrance.IsClient)
            NotifySession();
    }

    /// <summary>The calling thread, which is about to wait, looks for the server if there is no session.</summary>
    public void NoteLook(bool isWriter) =>
        Atomic.StoreRelease(ref isWriter ? ref _writerSaw : ref _readerSaw, Atomic.LoadAcquire(ref _sessions));

    /// <summary>Another thread has given the session up since this half looked for the server, and there is no other:
    /// its wait ends, and it looks again.</summary>
    public bool HasLostSession(bool isWriter) =>
        IsFollowed && Session is null &&
        Atomic.LoadAcquire(ref _sessions) != Atomic.LoadAcquire(ref isWriter ? ref _writerSaw : ref _readerSaw);

    /// <summary>Who sleeps in either ring looks again.</summary>
    public void WakeThreads()
    {
        if (!Region.View.TryUse())
            return;
        try
        {
            Writer.Control.WakeSleepers();
            Reader.Control.WakeSleepers();
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>After a wake of a ring that is none of its publishes: the server is to look, and to arm it
    /// again.</summary>
    public void NotifySession() => Session?.Notify();

    /// <summary>What a session's client says; null when this is closed.</summary>
    public byte[]? Hello(string client)
    {
        if (!Region.View.TryUse())
            return null;
        try
        {
            return NamedHello.Write(Region, client);
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>Nobody sends, receives or acknowledges here any more; what waits returns Closed. It still holds its
    /// ends.</summary>
    public void Shut()
    {
        bool writerQuiet = Writer.Close();
        _quiet = Reader.Close() && writerQuiet;
    }

    /// <summary>Leaves the region. What waits returns Closed.</summary>
    public void Dispose()
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;
        Shut();
        Reader.TellRead();
        Region.Leave();
        if (_quiet)
            Region.View.Dispose();
        else
            Region.View.LeaveToCollector();
    }

    private void Remember(ulong count, ulong end)
    {
        if (count >= (ulong)_ends.Length)
            Grow();
        _ends[(int)_last & (_ends.Length - 1)] = end; // of message last + 1
    }

    private void Grow()
    {
        ulong[] larger = new ulong[2 * _ends.Length];
        for (ulong sequence = _acknowledged; sequence < _last; sequence++)
            larger[(int)sequence & (larger.Length - 1)] = _ends[(int)sequence & (_ends.Length - 1)];
        _ends = larger;
    }

    private void ThrowSequence(ulong sequence) => Throw.Corrupt(
        $"{Region.Path}: message {sequence} follows message {_last}, {_last + 1} was expected: the other side has " +
        "lost its place. Remove this named connection, and begin anew.");
}
