using System;
using System.Buffers.Binary;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace Ipc.Tcp;

/// <content>Sending: from any thread, each frame as a whole, under a lock that is held while the other end takes
/// it.</content>
internal sealed partial class Wire
{
    /// <summary>A frame of its own.</summary>
    public void Send(FrameKind kind, ushort type, ReadOnlySpan<byte> bytes)
    {
        lock (_sending)
        {
            Put(kind, type, null, bytes);
            Write();
        }
    }

    /// <summary>A frame that waits for others, until <see cref="Flush"/> or until the buffer is full.</summary>
    public void Append(FrameKind kind, ushort type, ReadOnlySpan<byte> bytes)
    {
        lock (_sending)
            Put(kind, type, null, bytes);
    }

    public void Append(FrameKind kind, ushort type, long sequence, ReadOnlySpan<byte> bytes)
    {
        lock (_sending)
            Put(kind, type, sequence, bytes);
    }

    public void Flush()
    {
        lock (_sending)
            Write();
    }

    /// <summary>What has waited, and a short frame, if nobody is sending and it would not have to wait for the other
    /// end: from any thread, the reading one above all. Were that one to wait, both ends' could wait for each other,
    /// and nobody would read.</summary>
    /// <returns>False: it would have to.</returns>
    /// <exception cref="IOException">The way is broken.</exception>
    public bool TrySend(FrameKind kind, long sequence)
    {
        if (!Monitor.TryEnter(_sending))
            return false;
        try
        {
            if (!CanSend)
                return false;
            Put(kind, 0, sequence, default);
            Write();
            return true;
        }
        finally
        {
            Monitor.Exit(_sending);
        }
    }

    public void SendRefused(CloseCode code, string text) => Send(FrameKind.Refused, (ushort)code, Cut(text));

    private static ReadOnlySpan<byte> Cut(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        int length = Math.Min(bytes.Length, Frame.LongestText);
        while (length < bytes.Length && length > 0 && (bytes[length] & 0xC0) == 0x80) // in the middle of a character
            length--;
        return bytes.AsSpan(0, length);
    }

    /// <summary>The last words; then only what the other end sends is still read. Once: who comes later has nothing to
    /// add.</summary>
    /// <param name="code">Not None.</param>
    /// <param name="text">Cut to what a frame takes.</param>
    /// <param name="handled">How many records of the other end were handled, by <see cref="RecordPositions"/>.</param>
    public void Close(CloseCode code, string text, ulong handled = RecordPositions.Unknown)
    {
        lock (_sending)
        {
            if (_hasFinished)
                return;
            try
            {
                Put(FrameKind.Close, (ushort)code, unchecked((long)handled), Cut(text));
                Write();
                _socket.Shutdown(SocketShutdown.Send);
            }
            catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException)
            {
                // nobody hears it: the reading thread says so
            }

            Volatile.Write(ref _hasFinished, true);
        }
    }

    /// <summary>The last words, if nothing waits for the other end; else without.</summary>
    public void End(CloseCode code, string text)
    {
        if (!Monitor.TryEnter(_sending, SentWithin))
        {
            Abort(text);
            return;
        }

        try
        {
            if (CanSend)
                Close(code, text);
            else
                Abort(text);
        }
        finally
        {
            Monitor.Exit(_sending);
        }
    }

    /// <summary>Ends it without a word, from any thread.</summary>
    public void Abort(string why)
    {
        Interlocked.CompareExchange(ref _aborted, why, null);
        Cut();
    }

    /// <summary>By the reading thread, or before there is one.</summary>
    public void Dispose()
    {
        Cut();
        if (_stream is not NetworkStream && Monitor.TryEnter(_sending)) // TLS: what it has of the system's
        {
            try
            {
                _stream.Dispose();
            }
            catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException)
            {
                // it would have said goodbye
            }
            finally
            {
                Monitor.Exit(_sending);
            }
        }
    }

    private void Cut()
    {
        _isOver = true;
        _timer?.Dispose();
        _socket.Dispose(); // who sends or reads ends with it
    }

    private void Put(FrameKind kind, ushort type, long? sequence, ReadOnlySpan<byte> bytes)
    {
        int length = bytes.Length + (sequence is null ? 0 : Frame.SequenceSize);
        // last words always fit, and so does the greeting, of which this is the rest
        if (bytes.Length > _longest && kind is not (FrameKind.Close or FrameKind.Refused or FrameKind.LoggedIn))
            throw new TcpProtocolException(
                $"A message of {bytes.Length} bytes: the other end takes {_longest} at most.");
        if (_hasFinished)
            throw new IOException("This half of the connection was ended.");
        if (_outputLength + Frame.HeaderSize + Frame.SequenceSize > _output.Length)
            Write();
        Span<byte> header = _output.AsSpan(_outputLength);
        BinaryPrimitives.WriteUInt32LittleEndian(header, (uint)length);
        BinaryPrimitives.WriteUInt16LittleEndian(header.Slice(4), (ushort)kind);
        BinaryPrimitives.WriteUInt16LittleEndian(header.Slice(6), type);
        _outputLength += Frame.HeaderSize;
        if (sequence is { } number)
        {
            BinaryPrimitives.WriteInt64LittleEndian(_output.AsSpan(_outputLength), number);
            _outputLength += Frame.SequenceSize;
        }

        while (bytes.Length > 0)
        {
            if (_outputLength == _output.Length)
                Write();
            int some = Math.Min(bytes.Length, _output.Length - _outputLength);
            bytes.Slice(0, some).CopyTo(_output.AsSpan(_outputLength));
            _outputLength += some;
            bytes = bytes.Slice(some);
        }
    }

    /// <param name="isUse">Of the way: not of a sign of life alone.</param>
    private void Write(bool isUse = true)
    {
        if (_outputLength == 0)
            return;
        try
        {
            _stream.Write(_output, 0, _outputLength);
            _stream.Flush();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            throw Lost(e);
        }

        _outputLength = 0;
        _sentAt = Environment.TickCount;
        if (isUse) // until now: the other end may have been waited for
            Volatile.Write(ref _usedAt, Clock.Now);
    }

    /// <summary>On a thread of the pool; not when a thread is sending, or would have to wait.</summary>
    private void SayAlive()
    {
        if (!Monitor.TryEnter(_sending))
            return;
        try
        {
            int silent = unchecked(Environment.TickCount - _sentAt);
            if (!_hasFinished && silent >= _options.AliveMilliseconds * 3 / 4 && CanSend)
            {
                bool isUse = _outputLength > 0;
                Put(FrameKind.Alive, 0, null, default);
                Write(isUse);
            }
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException)
        {
            _isOver = true; // the reading thread finds out, if it reads
        }
        finally
        {
            Monitor.Exit(_sending);
        }
    }
}
