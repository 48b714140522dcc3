using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

// A message field that is not repeated may still come in several pieces: who appends fields to a message that somebody
// else wrote makes such bytes. Protobuf says that the pieces are merged: scalars by the last, lists by appending,
// messages in turn. That is what reading the pieces one behind the other gives. So at the second piece the rest of the
// message is searched for more, all are joined, and the field is read again from there.
//
// What was read before the second piece is thrown away. If every level of a deep message did that, each would read
// twice what the one below reads twice; so from the first join on, pieces are searched for before a field is read. And
// what all joins together may copy is bounded, because each level may copy what lies below it.

/// <content>Messages that come in several pieces.</content>
public ref partial struct ProtoReader
{
    private const int Joined = -1;

    private ProtoReader(byte[] payload, int depth, MergeBudget merge)
        : this(payload)
    {
        _depth = depth;
        _merge = merge;
    }

    /// <summary>Whether the message field whose tag was just read can be read as it is; otherwise <see cref="Merge"/>
    /// reads it.</summary>
    /// <param name="at">Where the field occurred before, the <see cref="Position"/> behind its tag; 0 when it has
    /// not.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool IsFirstPiece(int at) => at == 0 && _merge is null;

    /// <summary>Reads the message field whose tag was just read together with all other pieces of it.</summary>
    /// <param name="tag">That tag.</param>
    /// <param name="at">Where it occurred before; 0 when it has not, -1 when it was merged already.</param>
    /// <param name="before">What it was read as then.</param>
    /// <param name="read">Reads its fields.</param>
    public T Merge<T>(uint tag, int at, T before, MessageReader<T> read)
    {
        if (read is null)
            throw new ArgumentNullException(nameof(read));
        int here = _position;
        if (!TryMerge(tag, at, out ProtoReader whole))
            return before;

        int end = whole.StartMessage();
        T value = read(ref whole);
        whole.EndMessage(end);
        KeepUnfit(in whole, here);
        return value;
    }

    /// <summary>What the pieces of a timestamp make together: those before <paramref name="at"/> are in
    /// <paramref name="before"/>, which is returned when there is no further one.</summary>
    public DateTime MergeTimestamp(uint tag, int at, DateTime before) =>
        TryMerge(tag, at, out ProtoReader whole) ? whole.ReadTimestamp() : before;

    /// <summary>The same for a duration.</summary>
    public TimeSpan MergeDuration(uint tag, int at, TimeSpan before) =>
        TryMerge(tag, at, out ProtoReader whole) ? whole.ReadDuration() : before;

    /// <summary>The same for a moment with its offset.</summary>
    public DateTimeOffset MergeDateTimeOffset(uint tag, int at, DateTimeOffset before) =>
        TryMerge(tag, at, out ProtoReader whole) ? whole.ReadDateTimeOffset() : before;

#if NET
    /// <summary>The same for a day.</summary>
    public DateOnly MergeDateOnly(uint tag, int at, DateOnly before)
    {
        int here = _position;
        if (!TryMerge(tag, at, out ProtoReader whole))
            return before;

        DateOnly value = whole.ReadDateOnly(tag);
        KeepUnfit(in whole, here);
        return value;
    }

    /// <summary>The same for a time of day.</summary>
    public TimeOnly MergeTimeOnly(uint tag, int at, TimeOnly before) =>
        TryMerge(tag, at, out ProtoReader whole) ? whole.ReadTimeOnly() : before;
#endif

    /// <summary>Goes past this piece.</summary>
    /// <param name="tag">The tag that was just read.</param>
    /// <param name="at">Where it occurred before.</param>
    /// <param name="whole">Stands behind the tag of a field that is all pieces in one.</param>
    /// <returns><see langword="false"/> when this piece has been read, with an earlier one.</returns>
    private bool TryMerge(uint tag, int at, out ProtoReader whole)
    {
        if (at == Joined)
        {
            whole = default;
            SkipField(tag);
            return false;
        }

        _merge ??= new MergeBudget(_buffer.Length);
        var pieces = new List<(int Start, int Length)>();
        ProtoReader search = this;
        search._unfit = null; // it may get to the end of the payload, which is none of its business
        if (at != 0)
        {
            search._position = at;
            pieces.Add(search.Piece());
            ForgetUnfit(at, search._position);
            search._position = _position; // what lies between the two has been read, and is something else
        }

        pieces.Add(search.Piece());
        while (search.TryReadTag(out uint next))
        {
            if (next == tag)
                pieces.Add(search.Piece());
            else
                search.SkipField(next);
        }

        whole = pieces.Count == 1 ? this : Join(pieces);
        SkipField(tag);
        return true;
    }

    /// <summary>What lies there is read again, with more.</summary>
    private readonly void ForgetUnfit(int start, int end)
    {
        for (int i = _unfit is null ? -1 : _unfit.Count - 1; i >= 0; i--)
        {
            if (_unfit![i] >= start && _unfit[i] < end)
                _unfit.RemoveAt(i);
        }
    }

    /// <summary>What was read as a whole, at that place here, may be a piece itself.</summary>
    private void KeepUnfit(in ProtoReader whole, int here)
    {
        if (whole._buffer == _buffer)
            _unfit = whole._unfit; // the same list, if there was one
        else if (whole._unfit is { Count: > 0 })
            (_unfit ??= new List<int>()).Add(here);
    }

    private (int Start, int Length) Piece()
    {
        int length = ReadLength();
        int start = _position;
        _position += length;
        return (start, length);
    }

    private readonly ProtoReader Join(List<(int Start, int Length)> pieces)
    {
        int total = 0; // pieces do not overlap, so it is no more than there is
        foreach ((_, int length) in pieces)
            total += length;
        _merge!.Take(total, _position);

        var joined = new byte[Varint.MaxSize32 + total];
        int position = Varint.Put(ref joined[0], (uint)total);
        foreach ((int start, int length) in pieces)
        {
            _buffer.Slice(start, length).CopyTo(joined.AsSpan(position));
            position += length;
        }

        return new ProtoReader(joined, _depth, _merge);
    }
}
