using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// A message is encoded in one pass and its size is known only afterwards. So a frame begins as a small claim of the
// ring, which grows while the message is written: in place, except at the end of a lap. When the ring has no room left,
// or the message turns out to be larger than any record, what is there moves to an array and the rest is written behind
// it: the caller then waits for room with the finished bytes in hand, or reports the size that it would have taken.
//
// The first claim is a guess: the smaller of the last two sizes that the same method had. A guess in the right number
// of lines commits on the shortest path; each line too many is a line of the reader's cache that has to be zeroed
// again; one too few is a call to Grow. So the guess never exceeds what was needed lately, and growth is by a quarter,
// not by doubling.
//
// A claim that is longer than the ring allows is a loan, which grows like any other: nothing here knows the difference,
// except that a long guess that is not to be had is no reason to leave the ring.

/// <summary>Builds one frame at a time, in the ring if there is room. Belongs to whoever holds the write lock of a
/// connection.</summary>
internal sealed class FrameBuilder : IPayloadTarget
{
    private const int Line = 64;
    private const int RecordHeaderSize = 8;
    private const int FirstGuess = (2 * Line) - RecordHeaderSize;
    private const int LeastGrowth = 4 * Line;
    private const int LargestKeptSpill = 1 << 20;
    private const int Guesses = 32; // methods share one when their ids end alike: a wrong guess costs little

    private readonly RingWriter _ring;
    private readonly int[] _lastLength = new int[Guesses];
    private readonly int[] _lengthBefore = new int[Guesses];
    private int _guess; // the index of the method in hand
    private int _prefix = FrameHeader.Size; // bytes before the message: the frame's header and perhaps a head
    private int _length;
    private long _published; // [count] the write lock's
    private int _claimed; // 0: the frame is in _spill
    private byte[] _spill = Array.Empty<byte>();

    public FrameBuilder(RingWriter ring) => _ring = ring;

    /// <summary>The largest frame that a record can carry.</summary>
    public int MaxFrame => _ring.MaxPayload;

    /// <summary>Where in the ring the next frame goes, or the one that was begun and is not published.</summary>
    public long Position => _ring.Position;

    /// <summary>How many bytes the published frames had. May lag.</summary>
    public long PublishedBytes => Volatile.Read(ref _published);

    /// <summary>How often the peer slept and was woken. May lag.</summary>
    public long Wakes => _ring.Wakes;

    /// <summary>The bytes of a frame that is not in the ring; valid until the next <see cref="Begin"/>.</summary>
    public ReadOnlySpan<byte> Spilled => _spill.AsSpan(0, _length);

    /// <summary>Whether a frame has begun and has neither ended nor been given up: somebody's code writes its message.
    /// The thread that does so has the write lock, and whatever that code sends over the same connection must not come
    /// here: there is room for one frame at a time.</summary>
    public bool IsEncoding { get; private set; }

    /// <summary>The size of the frame that ended last.</summary>
    public int Length => _length;

    /// <summary>Begins a frame.</summary>
    /// <param name="header">Its first bytes.</param>
    /// <param name="method">Whose message it carries.</param>
    /// <param name="head">What goes before the message: an encoded <see cref="CallHead"/>, or nothing.</param>
    /// <param name="intoRing">Whether it may go into the ring at once; it may not while earlier ones wait.</param>
    /// <returns>Where the message goes.</returns>
    [MethodImpl(Tiering.Optimized)]
    public Span<byte> Begin(in FrameHeader header, uint method, ReadOnlySpan<byte> head = default, bool intoRing = true)
    {
        IsEncoding = true;
        _prefix = FrameHeader.Size;
        _guess = (int)(method % Guesses);
        int length = (int)Math.Min(
            Math.Max(FirstGuess, WholeLines(Math.Min(_lastLength[_guess], _lengthBefore[_guess]))), _ring.MaxPayload);
        Span<byte> frame = default;
        if (!intoRing || !TryBegin(length, out frame))
        {
            _claimed = 0;
            if (_spill.Length < FirstGuess)
                _spill = new byte[FirstGuess];
            frame = _spill;
        }

        header.WriteTo(frame);
        Span<byte> body = frame.Slice(FrameHeader.Size);
        return head.IsEmpty ? body : PutHead(head, body);
    }

    /// <inheritdoc/>
    public Span<byte> Grow(int written, int needed)
    {
        long exact = (long)_prefix + written + needed;
        if (_claimed != 0)
        {
            long generous = Math.Min(
                Math.Max(exact, WholeLines(_claimed + (long)Math.Max(_claimed / 4, LeastGrowth))), _ring.MaxPayload);
            if (exact <= _ring.MaxPayload)
            {
                if (_ring.TryExtendClaim((int)generous, out Span<byte> larger))
                {
                    _claimed = (int)generous;
                    return larger.Slice(_prefix);
                }

                if (exact < generous && _ring.TryExtendClaim((int)exact, out larger))
                {
                    _claimed = (int)exact;
                    return larger.Slice(_prefix);
                }
            }

            return MoveOut(written, exact);
        }

        byte[] moved = NewSpill(exact, 2L * _spill.Length);
        _spill.AsSpan(0, _prefix + written).CopyTo(moved);
        _spill = moved;
        return _spill.AsSpan(_prefix);
    }

    /// <summary>Ends the frame, whose body has <paramref name="written"/> bytes. Nobody sees it before
    /// <see cref="Publish"/>.</summary>
    [MethodImpl(Tiering.Optimized)]
    public FrameOutcome End(int written)
    {
        IsEncoding = false;
        _length = _prefix + written;
        if (_claimed != 0)
            return FrameOutcome.InRing;
        return _length > _ring.MaxPayload ? FrameOutcome.TooLarge : FrameOutcome.Full;
    }

    /// <summary>Hands the frame that is <see cref="FrameOutcome.InRing"/> to the peer.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Publish()
    {
        _claimed = 0;
        _ring.Commit(_length, FrameHeader.RecordType);
        Count();
    }

    /// <summary>Like <see cref="Publish"/>, but the peer sees it only with the next frame that is published, or after
    /// <see cref="Flush"/>.</summary>
    public void PublishLater()
    {
        _claimed = 0;
        _ring.CommitBatched(_length, FrameHeader.RecordType);
        Count();
    }

    /// <summary>Shows the peer what was held back: one store, and one wake at most.</summary>
    public void Flush() => _ring.Flush();

    /// <summary>Waits for room for a frame that is <see cref="FrameOutcome.Full"/> and puts it into the ring, to be
    /// published.</summary>
    public IpcStatus ClaimSpilled(Deadline deadline, CancellationToken cancellationToken)
    {
        IpcStatus status = _ring.Claim(_length, out Span<byte> frame, deadline, cancellationToken);
        if (status == IpcStatus.Ok)
        {
            Spilled.CopyTo(frame);
            _claimed = _length;
            Trim();
        }

        return status;
    }

    /// <summary>Waits until a frame of this length would find room; the ring stays as it is.</summary>
    public IpcStatus WaitForRoom(int length, Deadline deadline, CancellationToken cancellationToken)
    {
        IpcStatus status = _ring.Claim(length, out _, deadline, cancellationToken);
        if (status == IpcStatus.Ok)
            _ring.Abandon();
        return status;
    }

    /// <summary>Gives up the frame: the ring is as if it had not been begun.</summary>
    public void Abandon()
    {
        IsEncoding = false;
        if (_claimed == 0)
            return;

        _claimed = 0;
        _ring.Abandon();
    }

    /// <summary>Puts finished bytes into the ring if there is room.</summary>
    public bool TrySend(ReadOnlySpan<byte> frame)
    {
        bool sent = _ring.TryWrite(frame, FrameHeader.RecordType);
        if (sent)
            _published += frame.Length;
        return sent;
    }

    /// <summary>Puts a frame without a message into the ring if there is room.</summary>
    public bool TrySend(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        bool sent = TryPut(in header, body, out int length);
        if (sent)
            PublishPut(length);
        return sent;
    }

    /// <summary>The same, but nobody sees it before <see cref="PublishPut"/>.</summary>
    public bool TryPut(in FrameHeader header, ReadOnlySpan<byte> body, out int length)
    {
        length = FrameHeader.Size + body.Length;
        if (!_ring.TryClaim(length, out Span<byte> frame))
            return false;

        header.WriteTo(frame);
        body.CopyTo(frame.Slice(FrameHeader.Size));
        return true;
    }

    /// <summary>Hands what <see cref="TryPut"/> put there to the peer.</summary>
    public void PublishPut(int length)
    {
        _ring.Commit(length, FrameHeader.RecordType);
        _published += length;
    }

    /// <summary>Lets go of an array that was needed for one unusually large message.</summary>
    public void Trim()
    {
        if (_spill.Length > LargestKeptSpill)
            _spill = Array.Empty<byte>();
    }

    [MethodImpl(Tiering.Optimized)]
    private void Count()
    {
        _published += _length;
        _lengthBefore[_guess] = _lastLength[_guess];
        _lastLength[_guess] = _length;
    }

    [MethodImpl(Tiering.Optimized)]
    private bool TryBegin(int length, out Span<byte> frame)
    {
        _claimed = length;
        if (_ring.TryClaim(length, out frame))
            return true;
        _claimed = FirstGuess;
        return length > FirstGuess && _ring.TryClaim(FirstGuess, out frame);
    }

    private Span<byte> PutHead(ReadOnlySpan<byte> head, Span<byte> body)
    {
        if (body.Length < head.Length)
            body = Grow(0, head.Length);
        head.CopyTo(body);
        _prefix += head.Length;
        return body.Slice(head.Length);
    }

    private Span<byte> MoveOut(int written, long exact)
    {
        int keep = _prefix + written;
        byte[] moved = NewSpill(exact, 2L * keep);
        if (!_ring.TryExtendClaim(_claimed, out Span<byte> frame)) // by nothing: gives the span of the claim again
            throw new InvalidOperationException("A claim of " + _claimed + " bytes could not be looked at again.");
        frame.Slice(0, keep).CopyTo(moved);
        _claimed = 0;
        _ring.Abandon();
        _spill = moved;
        return _spill.AsSpan(_prefix);
    }

    /// <summary>The largest payload of a record that takes no more lines than one of this length.</summary>
    [MethodImpl(Tiering.Optimized)]
    private static long WholeLines(long length) =>
        ((length + RecordHeaderSize + Line - 1) & ~(Line - 1)) - RecordHeaderSize;

    private static byte[] NewSpill(long exact, long generous)
    {
        const int MaxArray = 0x7FFFFFC7;
        if (exact > MaxArray)
            throw new RpcCallException(
                RpcStatus.ResourceExhausted, "A message of more than " + MaxArray + " bytes cannot be encoded.");
        return new byte[Math.Min(Math.Max(exact, generous), MaxArray)];
    }
}
