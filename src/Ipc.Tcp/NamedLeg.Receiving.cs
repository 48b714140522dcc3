using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <content>From TCP into the ring, and what the other machine is told of it.</content>
internal sealed partial class NamedLeg
{
    private (CloseCode Code, string Text) ReceiveUntilClose()
    {
        while (_wire.TryRead(out Frame frame))
        {
            switch (frame.Kind)
            {
                case FrameKind.Message:
                    Take(frame);
                    break;
                case FrameKind.Acknowledge:
                    NoteAcknowledged(_wire.ReadSequence());
                    break;
                case FrameKind.LoggedIn when LoggedIn is { } tell:
                    LoggedIn = null; // once
                    tell(Tcp.LoggedIn.Read(_wire, frame));
                    break;
                case FrameKind.Close:
                    (CloseCode code, _, string text) = _wire.ReadClose(frame);
                    return (code, text);
                default:
                    throw new TcpProtocolException($"A frame {frame.Kind} came, which a named connection has not.");
            }
        }

        throw new IOException($"{_wire.RemoteEnd} went without a word.");
    }

    private void NoteAcknowledged(long sequence)
    {
        long received = _connection.LastReceived;
        if (sequence > received)
            throw new TcpProtocolException(
                $"The other end acknowledges message {sequence}; the last that was sent to it is {received}.");
        if (sequence <= Volatile.Read(ref _otherHas))
            return;
        Volatile.Write(ref _otherHas, sequence);
        _wakeReader();
    }

    private void Take(in Frame frame)
    {
        long sequence = _wire.ReadSequence();
        int length = frame.Length - Frame.SequenceSize;
        if (!TakesMessages)
            throw new TcpProtocolException($"Message {sequence} came before its client is logged in.");
        if (sequence > _next)
            throw new TcpProtocolException(
                $"Message {sequence} came where {_next} has to: the other end has lost its place.");
        if (sequence < _next)
        {
            _wire.Skip(length);
            return;
        }

        _next++;
        if (_late.HasTheRing)
        {
            KeepForLater(length, frame.Type);
            return;
        }

        if (!_wire.Has(length))
            Publish(); // it may have to be waited for, in the middle
        if (!_connection.TryClaim(length, out Span<byte> payload))
        {
            Publish();
            KeepForLater(length, frame.Type);
            return;
        }

        try
        {
            _wire.Read(payload);
        }
        catch
        {
            _connection.Abandon();
            throw;
        }

        Commit(length, frame.Type);
        if (Volatile.Read(ref _bytesGot) < AcknowledgeAtOnce)
            return;
        Publish();
        TellWhatCame();
    }

    private void KeepForLater(int length, ushort type)
    {
        if (length > _connection.MaxPayload)
            throw new TcpProtocolException(
                $"A message of {length} bytes came; {_connection.MaxPayload} are possible here.");
        byte[] bytes = new byte[length];
        _wire.Read(bytes);
        if (!_late.Add(type, bytes, () => _wire.IsOver || _wire.HasFinished))
            throw new EndedHereException();
    }

    /// <summary>On the thread of those that came late.</summary>
    private bool PutLate(ushort type, byte[] bytes)
    {
        try
        {
            if (!Claim(bytes.Length, out Span<byte> payload))
                return EndHere();
            bytes.AsSpan().CopyTo(payload);
            Commit(bytes.Length, type);
            if (Volatile.Read(ref _bytesGot) >= AcknowledgeAtOnce)
            {
                Publish();
                TellWhatCame();
            }

            return true;
        }
        catch (IpcException e)
        {
            EndedInError = true;
            _wire.End(CloseCode.Protocol, e.Message);
            return false;
        }
        catch (EndedHereException)
        {
            return EndHere();
        }
    }

    /// <summary>No more messages are put into the ring. The reading thread, which may be waiting for the other machine,
    /// is to end, too: else that one would wait for acknowledgements for ever.</summary>
    private bool EndHere()
    {
        WaitForLastWords();
        if (!_wire.HasFinished)
            _wire.End(CloseCode.Lost, new EndedHereException().Message);
        return false;
    }

    private void Commit(int length, ushort type)
    {
        if (_connection.CommitBatched(length, type) == 0)
            throw new EndedHereException();
        Volatile.Write(ref _bytesGot, Volatile.Read(ref _bytesGot) + length + Frame.HeaderSize);
    }

    /// <summary>What came is in the ring, and the other machine is going to be told so.</summary>
    private void Publish()
    {
        long sent = _connection.LastSent;
        if (sent == Volatile.Read(ref _got))
            return;
        _connection.Flush();
        Interlocked.Exchange(ref _got, sent); // before it looks whether the timer runs
        TellSoon();
    }

    private void TellSoon()
    {
        if (Interlocked.Exchange(ref _timerRuns, 1) != 0)
            return;
        try
        {
            _timer.Change(AcknowledgeAfter, Timeout.Infinite);
        }
        catch (ObjectDisposedException)
        {
            // it is over
        }
    }

    private bool Claim(int length, out Span<byte> payload)
    {
        if (_connection.TryClaim(length, out payload))
            return true;
        Publish();
        TellWhatCame(); // it may have to wait for long
        while (!_wire.IsOver && !_wire.HasFinished && !Volatile.Read(ref _broken) && !Volatile.Read(ref _leaves))
        {
            switch (_connection.Claim(length, out payload, Deadline.After(s_lookInterval)))
            {
                case IpcStatus.Ok:
                    return true;
                case IpcStatus.Timeout:
                    break;
                case IpcStatus.Stopped: // the other thread is: it resumes both halves soon, and tells nobody
                    Thread.Sleep(1);
                    break;
                default:
                    return false;
            }
        }

        return false;
    }

    /// <summary>On any thread. It does not wait for the other machine: else both ends could, for each other.</summary>
    private void TellWhatCame()
    {
        Interlocked.Exchange(ref _timerRuns, 0); // before it looks what came
        long got = Volatile.Read(ref _got);
        if (Volatile.Read(ref _toldGot) >= got)
            return;
        try
        {
            if (!_wire.TrySend(FrameKind.Acknowledge, got))
            {
                Volatile.Write(ref _isDue, true);
                TellSoon();
                return;
            }
        }
        catch (IOException)
        {
            return; // the reading thread finds out
        }

        Volatile.Write(ref _isDue, false);
        Volatile.Write(ref _bytesGot, 0);
        long told;
        while ((told = Volatile.Read(ref _toldGot)) < got)
            Interlocked.CompareExchange(ref _toldGot, got, told);
    }
}
