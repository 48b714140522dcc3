using System;
using System.Buffers;
using System.Collections.Generic;

namespace Ipc.Pipelines;

/// <summary>What a reader has in hand, in order: first copies in memory of its own, then records in the ring.</summary>
/// <remarks>Records are released together, when the last of them is consumed or copied: the ring knows no other way,
/// and it is one store.</remarks>
internal sealed class ReadBuffer
{
    private const int LeastOwn = 4096;
    private const int MostOwn = 1 << 20;
    private const int Spare = 32;

    private readonly RingReader _ring;
    private readonly Stack<BufferSegment> _spare = new();
    private BufferSegment? _head;
    private BufferSegment? _tail;
    private int _headIndex;
    private long _examined; // a running index
    private long _end;

    public ReadBuffer(RingReader ring) => _ring = ring;

    /// <summary>Bytes of records that are in hand and not released.</summary>
    public long Held { get; private set; }

    public bool IsEmpty => _head is null;

    /// <summary>There are bytes that its user has not looked at.</summary>
    public bool HasUnexamined => _end > _examined;

    /// <summary>So many of them.</summary>
    public long Unexamined => _end - _examined;

    public ReadOnlySequence<byte> Sequence => _head is null
        ? ReadOnlySequence<byte>.Empty
        : new ReadOnlySequence<byte>(_head, _headIndex, _tail!, _tail!.Length);

    /// <summary>A record, in place.</summary>
    public void Add(ReadOnlySpan<byte> record)
    {
        BufferSegment segment = Append();
        segment.SetRing(record, _end);
        _end += record.Length;
        Held += record.Length;
    }

    /// <summary>Copies what is in the ring, and releases it.</summary>
    public void LeaveRing()
    {
        if (Held == 0)
            return;
        BufferSegment? previous = null;
        BufferSegment? first = _head;
        int skip = _headIndex;
        while (!first!.IsInRing)
        {
            previous = first;
            first = first.Following;
            skip = 0;
        }

        // from here on the list is built anew, with the bytes that are not consumed
        _tail = previous;
        if (previous is null)
        {
            _head = null;
            _headIndex = 0;
        }
        else
        {
            previous.Following = null;
        }

        _end = first.RunningIndex + skip;
        while (first is not null)
        {
            BufferSegment? next = first.Following;
            AddCopy(first.Memory.Span.Slice(skip));
            GiveBack(first);
            first = next;
            skip = 0;
        }

        Release();
    }

    /// <summary>Bytes of a record as a copy; whoever calls releases it.</summary>
    public void AddCopy(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_tail is null || _tail.Room == 0)
            {
                int capacity = Math.Max(Math.Max(bytes.Length, LeastOwn), Math.Min(2 * (_tail?.Length ?? 0), MostOwn));
                Append().SetOwn(capacity, _end);
            }

            int length = Math.Min(_tail!.Room, bytes.Length);
            _tail.Append(bytes.Slice(0, length));
            bytes = bytes.Slice(length);
            _end += length;
        }
    }

    /// <summary>The user's <c>AdvanceTo</c>.</summary>
    public void Advance(SequencePosition consumed, SequencePosition examined)
    {
        if (consumed.GetObject() is not BufferSegment consumedIn ||
            examined.GetObject() is not BufferSegment examinedIn)
        {
            return; // of the empty sequence
        }

        long consumedAt = consumedIn.RunningIndex + consumed.GetInteger();
        long examinedAt = examinedIn.RunningIndex + examined.GetInteger();
        long start = _head is null ? _end : _head.RunningIndex + _headIndex;
        if (examinedAt < consumedAt)
            throw new InvalidOperationException("The examined position is less than the consumed position.");
        if (!Has(consumedIn) || !Has(examinedIn) || consumedAt < start || examinedAt > _end)
            throw new InvalidOperationException("The position is not one of what was read last.");
        _examined = Math.Max(_examined, examinedAt);
        while (_head is not null && _head != consumedIn)
            DropHead();
        _headIndex = consumed.GetInteger();
        while (_head is not null && _headIndex == _head.Length)
            DropHead();
        if (Held != 0 && (_head is null || !_tail!.IsInRing))
            Release();
    }

    /// <summary>Nothing of it is wanted any more.</summary>
    public void Drop()
    {
        while (_head is not null)
            DropHead();
        _examined = _end;
        if (Held != 0)
            Release();
    }

    private bool Has(BufferSegment wanted)
    {
        for (BufferSegment? segment = _head; segment is not null; segment = segment.Following)
        {
            if (segment == wanted)
                return true;
        }

        return false;
    }

    private void Release()
    {
        Held = 0;
        _ring.Release();
    }

    private BufferSegment Append()
    {
        BufferSegment segment = _spare.Count != 0 ? _spare.Pop() : new BufferSegment(_ring);
        if (_tail is null)
        {
            _head = segment;
            _headIndex = 0;
        }
        else
        {
            _tail.Following = segment;
        }

        _tail = segment;
        return segment;
    }

    private void DropHead()
    {
        BufferSegment head = _head!;
        _head = head.Following;
        _headIndex = 0;
        if (_head is null)
            _tail = null;
        GiveBack(head);
    }

    private void GiveBack(BufferSegment segment)
    {
        segment.Clear();
        if (_spare.Count < Spare)
            _spare.Push(segment);
    }
}
