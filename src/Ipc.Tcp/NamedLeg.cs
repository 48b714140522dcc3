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
internal sealed partial class NamedLeg
#pragma warning restore CA1001
{
    /// <summary>While the ring is full, whether the way is broken.</summary>
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromMilliseconds(100);

    private const int LastWordsWithin = 1000;          // ms
    private const int AcknowledgeAfter = 10;           // ms
    private const long AcknowledgeAtOnce = 128 << 10;  // bytes

    private readonly Wire _wire;
    private readonly NamedConnection _connection;
    private readonly Action _wakeReader;
    private readonly Timer _timer;
    private readonly LateMessages _late;
    private long _next;         // the number of the message that has to come
    private long _otherHas;     // what of the ring's messages is on the other machine
    private long _got;          // the last that came, and is in the ring
    private long _toldGot;      // ... and that the other machine was told of
    private long _bytesGot;     // since then
    private int _timerRuns;
    private bool _isDue;        // the other machine could not be told yet: whoever sends next does it
    private bool _leaves;       // nothing more is to be put into the ring
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
        _next = _got + 1;
        _wakeReader = wakeReader;
        _late = new LateMessages(PutLate, Publish, connection.SendCapacity);
        wire.BeforeWaiting = () =>
        {
            if (!_late.HasTheRing)
                Publish();
        };
        _timer = new Timer(static it => ((NamedLeg)it!).TellWhatCame(), this, Timeout.Infinite, Timeout.Infinite);
    }

    public NamedConnection Connection => _connection;

    /// <summary>Of an entrance, that the client is logged in: before that nothing of its messages may come.</summary>
    public bool TakesMessages { get; set; } = true;

    /// <summary>Of an exit: called by the reading thread when the server has let the client in.</summary>
    public Action<LoggedIn>? LoggedIn { get; set; }

    /// <summary>Whether one of both ends did what it must not: the next way may end as this one did.</summary>
    public bool EndedInError { get; private set; }

    /// <summary>Of an entrance. What the server has not acknowledged yet is use, and what is kept beside the ring above
    /// all: it is on the client's machine alone, where nobody sends it again before the client next calls
    /// something.</summary>
    public void EndWhenIdle(TimeSpan limit, int grace) => _wire.EndWhenIdle(
        limit, grace, () => _late.HasTheRing || _connection.Unacknowledged > 0, () =>
        {
            TellWhatCame();
            return RecordPositions.Unknown;
        });

    /// <summary>From TCP into the ring, until either is over. It does not throw.</summary>
    /// <returns>The other end's code and words, or <see cref="CloseCode.Lost"/>.</returns>
    public (CloseCode Code, string Text) Receive()
    {
        (CloseCode, string) end;
        try
        {
            end = ReceiveUntilClose();
            EndedInError |= end.Item1 == CloseCode.Protocol;
            StopLate();
            Publish();
            TellWhatCame();
            _wire.Close(CloseCode.Normal, "");
        }
        catch (WireIsIdleException e)
        {
            end = (CloseCode.Shutdown, e.Message);
            _wire.Drain();
        }
        catch (EndedHereException e)
        {
            end = (CloseCode.Lost, e.Message);
            WaitForLastWords();
            _wire.End(CloseCode.Lost, e.Message);
            _wire.Drain();
        }
        catch (Exception e) when (e is TcpProtocolException or IpcException)
        {
            end = (CloseCode.Lost, e.Message);
            EndedInError = true;
            _wire.Close(CloseCode.Protocol, e.Message);
            _wire.Drain();
        }
        catch (IOException e)
        {
            end = (CloseCode.Lost, e.Message);
            _wire.End(CloseCode.Lost, e.Message); // if the other end is silent and hears us all the same
        }

        StopLate();
        PublishAtTheEnd();
        _timer.Dispose();
        _wire.Dispose();
        return end;
    }

    /// <summary>What is in the ring is what the next way begins behind: were it not published, the other machine would
    /// be told of it, and it would be lost with this process.</summary>
    private void PublishAtTheEnd()
    {
        try
        {
            Publish();
        }
        catch (IpcException)
        {
            EndedInError = true; // the region is damaged: whoever uses it next is told so
        }
    }

    /// <summary>Whoever learns of the end tells the other machine why.</summary>
    private void WaitForLastWords()
    {
        long until = Clock.Now + LastWordsWithin;
        while (!_wire.HasFinished && !_wire.IsOver && !Volatile.Read(ref _leaves) && Clock.Now < until)
            Thread.Sleep(5);
    }

    private void StopLate()
    {
        Volatile.Write(ref _leaves, true);
        _late.Stop();
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
        catch (IOException e) when (e is not IpcException)
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
            if (Volatile.Read(ref _isDue) || Volatile.Read(ref _bytesGot) >= AcknowledgeAtOnce)
                AppendAcknowledgement();
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
        catch (IOException e) when (e is not IpcException)
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
        EndedInError |= code == CloseCode.Protocol;
        TellWhatCame();
        _wire.Close(code, text);
    }

    private void Append(in NamedMessage message) =>
        _wire.Append(FrameKind.Message, message.Type, message.Sequence, message.Payload);

    private void EndForwarding()
    {
        Acknowledge();
        AppendAcknowledgement();
        _wire.Flush();
    }

    private void AppendAcknowledgement()
    {
        long got = Volatile.Read(ref _got);
        if (Interlocked.Exchange(ref _toldGot, got) >= got)
            return;
        Volatile.Write(ref _isDue, false);
        Volatile.Write(ref _bytesGot, 0);
        _wire.Append(FrameKind.Acknowledge, 0, got, default);
    }

    /// <summary>The conversation on this machine is over, or its session.</summary>
    private sealed class EndedHereException : IOException
    {
        public EndedHereException()
            : base("The session on this side has ended.")
        {
        }
    }
}
