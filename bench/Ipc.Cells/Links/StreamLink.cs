using System;
using System.Buffers.Binary;
using System.IO;

namespace Ipc.Matrix.Cells;

/// <summary>Messages in a stream of bytes: four bytes of length before each, written and read in as few calls as may be.</summary>
internal abstract class StreamLink : ByteLink
{
    private const int Head = 4;
    private const int Longest = 64 << 20;

    private byte[] _out = new byte[Links.Capacity];
    private byte[] _in = new byte[Links.Capacity];
    private int _pending;           // bytes to be written
    private int _begin, _end;       // bytes that were read and not looked at
    private int _length;            // of the message that was handed out

    protected override void Send(ReadOnlySpan<byte> bytes, bool more)
    {
        if (_pending + Head + bytes.Length > _out.Length)
        {
            Flush();
            if (Head + bytes.Length > _out.Length)
                _out = new byte[Head + bytes.Length];
        }

        BinaryPrimitives.WriteInt32LittleEndian(_out.AsSpan(_pending), bytes.Length);
        bytes.CopyTo(_out.AsSpan(_pending + Head));
        _pending += Head + bytes.Length;
        if (!more)
            Flush();
    }

    protected override void Flush()
    {
        ReadOnlySpan<byte> left = _out.AsSpan(0, _pending);
        while (!left.IsEmpty)
            left = left[WriteSome(left)..];
        _pending = 0;
    }

    protected override ReadOnlySpan<byte> Receive()
    {
        Need(Head);
        _length = BinaryPrimitives.ReadInt32LittleEndian(_in.AsSpan(_begin));
        if (_length is < 0 or > Longest)
            throw new InvalidDataException($"A message of {_length} bytes is announced.");
        Need(Head + _length);
        return _in.AsSpan(_begin + Head, _length);
    }

    protected override void Release()
    {
        _begin += Head + _length;
        if (_begin == _end)
            _begin = _end = 0;
    }

    /// <summary>Writes at least one byte.</summary>
    protected abstract int WriteSome(ReadOnlySpan<byte> bytes);

    /// <summary>Reads what is there, at least one byte.</summary>
    protected abstract int ReadSome(Span<byte> bytes);

    private void Need(int bytes)
    {
        if (_end - _begin >= bytes)
            return;
        if (_begin + bytes > _in.Length)
        {
            byte[] place = bytes > _in.Length ? new byte[bytes] : _in;
            _in.AsSpan(_begin, _end - _begin).CopyTo(place);
            _in = place;
            _end -= _begin;
            _begin = 0;
        }

        while (_end - _begin < bytes)
            _end += ReadSome(_in.AsSpan(_end));
    }
}
