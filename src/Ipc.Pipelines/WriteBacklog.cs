using System;
using System.Buffers;
using System.Collections.Generic;

namespace Ipc.Pipelines;

/// <summary>What was written and had no room in the ring, in order.</summary>
internal sealed class WriteBacklog
{
    private const int LeastChunk = 4096;
    private const int MostChunk = 1 << 20;

    private readonly Queue<byte[]> _full = new(); // all but the last, to their ends as written
    private readonly Queue<int> _lengths = new();
    private byte[]? _last;
    private int _lastLength;
    private int _start; // of the first

    public bool IsEmpty => Length == 0;

    public long Length { get; private set; }

    public Memory<byte> GetMemory(int sizeHint)
    {
        int wanted = Math.Max(sizeHint, 1);
        if (_last is null || _last.Length - _lastLength < wanted)
        {
            int next = Math.Min(2 * (_last?.Length ?? 0), MostChunk);
            if (_last is not null && _lastLength != 0)
            {
                _full.Enqueue(_last);
                _lengths.Enqueue(_lastLength);
            }
            else if (_last is not null)
            {
                ArrayPool<byte>.Shared.Return(_last);
            }

            _last = ArrayPool<byte>.Shared.Rent(Math.Max(Math.Max(wanted, LeastChunk), next));
            _lastLength = 0;
        }

        return _last.AsMemory(_lastLength);
    }

    public void Advance(int bytes)
    {
        if (_last is null || (uint)bytes > (uint)(_last.Length - _lastLength))
            throw new ArgumentOutOfRangeException(nameof(bytes));
        _lastLength += bytes;
        Length += bytes;
    }

    public void Append(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            Span<byte> room = GetMemory(1).Span;
            int length = Math.Min(room.Length, bytes.Length);
            bytes.Slice(0, length).CopyTo(room);
            Advance(length);
            bytes = bytes.Slice(length);
        }
    }

    /// <summary>The first bytes, in one piece of at most <paramref name="most"/>.</summary>
    public ReadOnlyMemory<byte> Peek(int most)
    {
        byte[] first = _full.Count != 0 ? _full.Peek() : _last!;
        int length = _full.Count != 0 ? _lengths.Peek() : _lastLength;
        return first.AsMemory(_start, Math.Min(length - _start, most));
    }

    /// <summary>Nobody will read them.</summary>
    public void Clear()
    {
        while (!IsEmpty)
            Remove(Peek(int.MaxValue).Length);
    }

    /// <summary>So many of them are in the ring.</summary>
    public void Remove(int bytes)
    {
        Length -= bytes;
        _start += bytes;
        if (_full.Count != 0 && _start == _lengths.Peek())
        {
            ArrayPool<byte>.Shared.Return(_full.Dequeue());
            _lengths.Dequeue();
            _start = 0;
        }
        else if (_full.Count == 0 && _start == _lastLength)
        {
            ArrayPool<byte>.Shared.Return(_last!);
            _last = null;
            _lastLength = _start = 0;
        }
    }
}
