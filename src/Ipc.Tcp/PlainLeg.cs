using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>A connection on its way: from its ring to TCP, and back. The same on both machines.</summary>
internal sealed class PlainLeg
{
    /// <summary>While the ring is full, whether the way is broken.</summary>
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromMilliseconds(100);

    private readonly Connection _connection;
    private readonly Wire _wire;
    private readonly RecordPositions _written = new(); // into the ring here
    private readonly RecordPositions _sent = new();    // out of it
    private bool _broken; // the way out: nothing is sent any more, and the way in ends soon

    public PlainLeg(Connection connection, Wire wire)
    {
        _connection = connection;
        _wire = wire;
        _sent.AddEnd(connection.Reader.ReleasedTo);
        wire.BeforeWaiting = connection.Writer.Flush;
    }

    /// <summary>Of an entrance. What the server has not taken yet is use.</summary>
    public void EndWhenIdle(TimeSpan limit) => _wire.EndWhenIdle(
        limit, grace: 0, () => _connection.Writer.UnreadBytes > 0,
        () => _written.Count); // what comes after these is not handled: it may be sent again

    /// <summary>From TCP into the ring, until either is over. Then the connection is shut down, with the other end's
    /// code and words, or <see cref="CloseCode.Lost"/>. It does not throw.</summary>
    public void Receive()
    {
        CloseCode code = CloseCode.Lost;
        ulong handled = RecordPositions.Unknown;
        string text;
        try
        {
            (code, handled, text) = ReceiveUntilClose();
            _wire.Close(CloseCode.Normal, ""); // if we have not said anything yet: it is over on both sides
        }
        catch (Exception e) when (e is TcpProtocolException or IpcException)
        {
            text = e.Message;
            _wire.Close(CloseCode.Protocol, e.Message);
            _wire.Drain();
        }
        catch (WireIsIdleException e)
        {
            code = CloseCode.Shutdown;
            text = e.Message;
            _wire.Drain();
        }
        catch (IOException e)
        {
            text = e.Message;
            _wire.End(CloseCode.Lost, e.Message); // if the other end is silent and hears us all the same
        }

        _connection.Writer.Flush();
        if (_sent.BeginOf(handled) is { } position)
            _connection.Shutdown(code, text, position);
        else
            _connection.Shutdown(code, text);
        _wire.Dispose();
    }

    /// <summary>From the ring to TCP, what is there now.</summary>
    /// <param name="beforeWaiting">Called before it may have to wait for the other machine.</param>
    /// <remarks>When the way is broken it drops what it reads: nobody gets it, and <see cref="Receive"/> is about to
    /// say so, with the other end's last words if there are any.</remarks>
    public void Forward(Action? beforeWaiting)
    {
        try
        {
            if (!_wire.CanSend)
                beforeWaiting?.Invoke();
            SendAll(beforeWaiting);
        }
        catch (IOException e) when (e is not IpcException)
        {
            Volatile.Write(ref _broken, true);
            RingReader reader = _connection.Reader;
            Release(reader); // the one that was being sent: it is noted
            while (reader.TryRead(out _))
            {
                _sent.Add(reader.ReleasedTo); // nobody handles these: what was not handled begins before them
                Release(reader);
            }
        }
    }

    private void SendAll(Action? beforeWaiting)
    {
        RingReader reader = _connection.Reader;
        int appended = 0;
        while (reader.TryRead(out RingRecord record))
        {
            appended += record.Payload.Length + Frame.HeaderSize;
            if (appended > Wire.Short) // the buffer is written
            {
                beforeWaiting?.Invoke();
                appended = 0;
            }

            _sent.Add(reader.ReleasedTo); // before it is on its way
            _wire.Append(FrameKind.Record, record.Type, record.Payload);
            Release(reader);
        }

        _wire.Flush();
    }

    private void Release(RingReader reader)
    {
        reader.Release();
        _sent.AddEnd(reader.ReleasedTo);
    }

    /// <summary>The connection's other side has closed, or died: the other machine is told.</summary>
    public void EndWire()
    {
        CloseCode code = _connection.PeerCloseCode;
        if (code == CloseCode.None)
            _wire.Close(CloseCode.Lost, $"The process {_connection.PeerProcessId} died.");
        else
            _wire.Close(
                code, _connection.PeerCloseText ?? "",
                _connection.PeerHandledTo is { } position ? _written.CountBefore(position) : RecordPositions.Unknown);
    }

    /// <summary>The other machine is told something else.</summary>
    public void EndWire(CloseCode code, string text) => _wire.Close(code, text);

    private (CloseCode Code, ulong Handled, string Text) ReceiveUntilClose()
    {
        RingWriter writer = _connection.Writer;
        while (_wire.TryRead(out Frame frame))
        {
            switch (frame.Kind)
            {
                case FrameKind.Record:
                    Take(writer, frame);
                    break;
                case FrameKind.Close:
                    return _wire.ReadClose(frame);
                default:
                    throw new TcpProtocolException($"A frame {frame.Kind} came, which a connection has not.");
            }
        }

        throw new IOException($"{_wire.RemoteEnd} went without a word.");
    }

    private void Take(RingWriter writer, in Frame frame)
    {
        if (!_wire.Has(frame.Length))
            writer.Flush(); // it may have to be waited for, in the middle
        IpcStatus status = writer.TryClaim(frame.Length, out Span<byte> payload) ? IpcStatus.Ok : IpcStatus.Timeout;
        if (status != IpcStatus.Ok)
            writer.Flush();
        while (status == IpcStatus.Timeout)
        {
            if (Volatile.Read(ref _broken) || _wire.IsOver)
                throw new IOException($"The way to {_wire.RemoteEnd} is broken.");
            status = writer.Claim(frame.Length, out payload, Deadline.After(s_lookInterval));
        }

        if (status != IpcStatus.Ok)
        {
            _wire.Skip(frame.Length); // it has gone: whoever reads the other way tells
            return;
        }

        try
        {
            _wire.Read(payload);
        }
        catch
        {
            writer.Abandon();
            throw;
        }

        _written.Add(writer.Position);
        writer.CommitBatched(frame.Length, frame.Type);
    }
}
