using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>A named connection on its way: each message keeps its number, and is in the region of either machine at
/// every moment. The same on both machines.</summary>
/// <remarks>The thread that reads TCP is the one that sends into the ring; whoever reads the ring (a leader of an exit,
/// a thread of its own in an entrance) sends to TCP and acknowledges. What the other machine has acknowledged is noted
/// by the first and done by the second, which is woken for it.</remarks>
#pragma warning disable CA1001 // it disposes its timer at the end of Receive, which is the end of it
internal sealed class NamedLeg
#pragma warning restore CA1001
{
    /// <summary>While the ring is full, whether the way is broken.</summary>
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromSeconds(1);

    private const int AcknowledgeAfter = 10;           // ms
    private const long AcknowledgeAtOnce = 128 << 10;  // bytes

    private readonly Wire _wire;
    private readonly NamedConnection _connection;
    private readonly Action _wakeReader;
    private readonly Timer _timer;
    private long _otherHas;     // what of the ring's messages is on the other machine
    private long _got;          // the last that came, and is in the ring
    private long _toldGot;      // ... and that the other machine was told of
    private long _bytesGot;     // since then
    private int _timerRuns;
    private bool _broken;       // the way out: nothing is sent any more, and the way in ends soon

    /// <param name="connection">Its session is there.</param>
    /// <param name="wire">The greeting is over.</param>
    /// <param name="otherHas">What the other machine said in it.</param>
    /// <param name="wakeReader">Whoever reads the ring is to call <see cref="Acknowledge"/>.</param>
    public NamedLeg(NamedConnection connection, Wire wire, long otherHas, Action wakeReader)
    {
        _connection = connection;
        _wire = wire;
        _otherHas = otherHas;
        _got = _toldGot = connection.LastSent;
        _wakeReader = wakeReader;
        wire.BeforeWaiting = Publish;
        _timer = new Timer(static it => ((NamedLeg)it!).TellWhatCame(), this, Timeout.Infinite, Timeout.Infinite);
    }

    public NamedConnection Connection => _connection;

    /// <summary>From TCP into the ring, until either is over. It does not throw.</summary>
    /// <returns>The other end's code and words, or <see cref="CloseCode.Lost"/>.</returns>
    public (CloseCode Code, string Text) Receive()
    {
        (CloseCode, string) end;
        try
        {
            end = ReceiveUntilClose();
            Publish();
            TellWhatCame();
            _wire.Close(CloseCode.Normal, "");
        }
        catch (IOException e)
        {
            end = (CloseCode.Lost, e.Message);
        }
        catch (Exception e) when (e is TcpProtocolException or IpcException)
        {
            end = (CloseCode.Lost, e.Message);
            _wire.Close(CloseCode.Protocol, e.Message);
            _wire.Drain();
        }

        _timer.Dispose();
        _wire.Dispose();
        return end;
    }

    /// <summary>From the ring to TCP, what is there now. By the thread that has the receiving half.</summary>
    /// <remarks>When the way is broken it leaves what it receives where it is: <see cref="Receive"/> is about to end
    /// it, and the next way begins with that.</remarks>
    public void Forward(Action? beforeWaiting)
    {
        try
        {
            if (!_wire.CanSend)
                beforeWaiting?.Invoke();
            SendAll(beforeWaiting);
        }
        catch (IOException)
        {
            Volatile.Write(ref _broken, true);
            while (_connection.TryReceive(out _))
            {
            }
        }
    }

    private void SendAll(Action? beforeWaiting)
    {
        int appended = 0;
        while (_connection.TryReceive(out NamedMessage message))
        {
            if (message.Sequence <= Volatile.Read(ref _otherHas))
                continue;
            appended += message.Payload.Length + Frame.HeaderSize + Frame.SequenceSize;
            if (appended > Wire.Short)
            {
                beforeWaiting?.Invoke();
                appended = 0;
            }

            Append(message);
        }

        EndForwarding();
    }

    /// <summary>The same of one that was received already.</summary>
    public void ForwardFirst(in NamedMessage message)
    {
        try
        {
            if (message.Sequence > Volatile.Read(ref _otherHas))
                Append(message);
        }
        catch (IOException)
        {
            Volatile.Write(ref _broken, true);
        }
    }

    /// <summary>What the other machine has is done here. By the thread that has the receiving half.</summary>
    public void Acknowledge() => _connection.Acknowledge(Volatile.Read(ref _otherHas));

    /// <summary>Whether there is something to acknowledge.</summary>
    public bool HasToAcknowledge =>
        Math.Min(Volatile.Read(ref _otherHas), _connection.LastReceived) > _connection.LastAcknowledged;

    /// <summary>The session here has ended: the other machine is told.</summary>
    public void EndWire(CloseCode code, string text)
    {
        TellWhatCame();
        _wire.Close(code, text);
    }

    private void Append(in NamedMessage message) =>
        _wire.Append(FrameKind.Message, message.Type, message.Sequence, message.Payload);

    private void EndForwarding()
    {
        Acknowledge();
        long got = Volatile.Read(ref _got);
        if (Interlocked.Exchange(ref _toldGot, got) < got)
        {
            Volatile.Write(ref _bytesGot, 0);
            _wire.Append(FrameKind.Acknowledge, 0, got, default);
        }

        _wire.Flush();
    }

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
        long expected = _connection.LastSent + 1;
        if (sequence > expected)
            throw new TcpProtocolException(
                $"Message {sequence} came where {expected} has to: the other end has lost its place.");
        if (sequence < expected)
        {
            _wire.Skip(length);
            return;
        }

        if (!_wire.Has(length))
            Publish(); // it may have to be waited for, in the middle
        if (!Claim(length, out Span<byte> payload))
            throw new IOException("The named connection here has ended.");
        try
        {
            _wire.Read(payload);
        }
        catch
        {
            _connection.Abandon();
            throw;
        }

        if (_connection.CommitBatched(length, frame.Type) == 0)
            throw new IOException("The named connection here has ended.");
        long bytes = Volatile.Read(ref _bytesGot) + length + Frame.HeaderSize;
        Volatile.Write(ref _bytesGot, bytes);
        if (bytes < AcknowledgeAtOnce)
            return;
        Publish();
        TellWhatCame();
    }

    /// <summary>What came is in the ring, and the other machine is going to be told so.</summary>
    private void Publish()
    {
        long sent = _connection.LastSent;
        if (sent == Volatile.Read(ref _got))
            return;
        _connection.Flush();
        Volatile.Write(ref _got, sent);
        if (Interlocked.Exchange(ref _timerRuns, 1) == 0)
            _timer.Change(AcknowledgeAfter, Timeout.Infinite);
    }

    private bool Claim(int length, out Span<byte> payload)
    {
        if (_connection.TryClaim(length, out payload))
            return true;
        Publish();
        TellWhatCame(); // it may have to wait for long
        for (; ; )
        {
            if (Volatile.Read(ref _broken))
                throw new IOException($"The way to {_wire.RemoteEnd} is broken.");
            switch (_connection.Claim(length, out payload, Deadline.After(s_lookInterval)))
            {
                case IpcStatus.Ok:
                    return true;
                case IpcStatus.Timeout:
                    break;
                case IpcStatus.Stopped: // for the other thread, which lets it go on at once
                    Thread.Yield();
                    break;
                default:
                    return false;
            }
        }
    }

    /// <summary>On any thread.</summary>
    private void TellWhatCame()
    {
        Volatile.Write(ref _timerRuns, 0);
        long got = Volatile.Read(ref _got);
        if (Interlocked.Exchange(ref _toldGot, got) >= got)
            return;
        Volatile.Write(ref _bytesGot, 0);
        try
        {
            _wire.Append(FrameKind.Acknowledge, 0, got, default);
            _wire.Flush();
        }
        catch (IOException)
        {
            // the reading thread finds out
        }
    }
}
