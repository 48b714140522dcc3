using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>The way of one named connection, from its exit: none, being asked for, waiting for its client, or
/// carrying.</summary>
/// <remarks>
/// A login is not kept waiting for the network: who connects to another machine is a thread of this, and if it has no
/// answer within <see cref="Patience"/> ms the client is told to come again. Then the answer waits for the client.
/// After a failure nobody asks for a while, which grows to <see cref="LongestPause"/> ms, at random between half of it
/// and all; whoever logs in meanwhile is told why at once. So no client's call waits for a network that does not
/// answer.
/// </remarks>
#pragma warning disable CA1001 // its timer is disposed with the login that it is for
internal sealed class NamedRoute
#pragma warning restore CA1001
{
    private const int Patience = 20;
    private const int LongestPause = 2000;
    private const int KeepsAnswer = 10_000; // ms

    private static readonly Random s_random = new();

    private readonly ExitOfNamed _exit;
    private readonly string _client;
    private readonly object _sync = new(); // for all that follows
    private NamedConnection? _waiting; // its login is not answered
    private Timer? _patience;
    private bool _isAsking;
    private Answer? _answer;
    private NamedLeg? _leg;            // that carries
    private Wire? _wire;               // of _leg, or of the answer
    private int _failures;
    private long _asksAgain;
    private string _lastFailure = "";
    private bool _isForwarding;
    private bool _ended;

    public NamedRoute(ExitOfNamed exit, string client)
    {
        _exit = exit;
        _client = client;
    }

    /// <summary>What the other machine said.</summary>
    private sealed class Answer
    {
        public Guid Conversation { get; set; } // the one that was asked for
        public CloseCode Refusal { get; set; } // None: welcome
        public string Text { get; set; } = "";
        public Welcome? Welcome { get; set; }
        public Wire? Wire { get; set; }
        public long Until { get; set; }
    }

    /// <summary>By the leading thread.</summary>
    public void LogsIn(NamedConnection connection)
    {
        lock (_sync)
        {
            if (_ended || _leg is not null) // the former session is still on its way out
            {
                connection.Close(CloseCode.Shutdown, "The former session is still being ended: come again.");
                return;
            }

            _waiting = connection;
            if (_answer is { } answer)
            {
                _answer = null;
                if (answer.Conversation == connection.Id && answer.Until > Clock.Now)
                {
                    Give(answer);
                    return;
                }

                answer.Wire?.Abort("Its client did not come again.");
            }

            if (!_isAsking && Clock.Now < _asksAgain)
                TurnAway(_lastFailure);
            else if (!_isAsking)
                Ask(connection);
            if (_waiting is not null)
                _patience = new Timer(
                    static it => ((NamedRoute)it!).LosePatience(), this, Patience, Timeout.Infinite);
        }
    }

    /// <summary>By the leading thread; the connection is lent.</summary>
    public void Forward(NamedConnection connection, Action beforeWaiting)
    {
        NamedLeg? leg;
        lock (_sync)
        {
            leg = _leg;
            _isForwarding = true;
        }

        if (leg is null || !ReferenceEquals(leg.Connection, connection))
            return; // it is over, and says so to whoever logs in next
        try
        {
            leg.Forward(beforeWaiting);
        }
        catch (Exception e) when (e is IpcException or TcpProtocolException)
        {
            leg.EndWire(CloseCode.Protocol, e.Message);
            connection.Close(CloseCode.Protocol, e.Message);
        }
    }

    /// <summary>What came while it was lent is the leader's again.</summary>
    public void EndForwarding()
    {
        bool isDue;
        lock (_sync)
        {
            _isForwarding = false;
            isDue = _leg is { HasToAcknowledge: true };
        }

        if (isDue)
            _exit.WakeFor(this);
    }

    /// <summary>By the leading thread.</summary>
    public void Acknowledge()
    {
        NamedLeg? leg;
        lock (_sync)
            leg = _isForwarding ? null : _leg;
        leg?.Acknowledge();
    }

    /// <summary>By a thread that led.</summary>
    public void LogsOut(in NamedEvent e)
    {
        NamedLeg? leg;
        lock (_sync)
            leg = _leg is { } now && ReferenceEquals(now.Connection, e.Connection) ? now : null;
        if (leg is null)
            e.Connection.Close(CloseCode.Normal); // of a login that was not answered
        else if (e.Code == CloseCode.None)
            leg.EndWire(CloseCode.Lost, $"The client \"{_client}\" died.");
        else
            leg.EndWire(e.Code, "");
    }

    public void End(string text)
    {
        lock (_sync)
        {
            _ended = true;
            if (_wire is { } wire)
            {
                if (wire.CanSend)
                    wire.Close(CloseCode.Shutdown, text);
                else
                    wire.Abort(text);
            }

            _answer?.Wire?.Abort(text);
            TurnAway(text);
        }
    }

    // ---- under the lock ----

    private void TurnAway(string text)
    {
        _patience?.Dispose();
        _patience = null;
        NamedConnection? waiting = _waiting;
        _waiting = null;
        waiting?.Close(CloseCode.Shutdown, text);
    }

    private void Give(Answer answer)
    {
        NamedConnection connection = _waiting!;
        switch (answer.Refusal)
        {
            case CloseCode.None:
                break;
            case CloseCode.Identity:
                Clear();
                connection.RefuseAsAnother(answer.Text);
                return;
            case CloseCode.Shutdown:
                TurnAway(answer.Text);
                return;
            default:
                Clear();
                connection.Refuse(answer.Text);
                return;
        }

        Clear();
        Welcome welcome = answer.Welcome!;
        Wire wire = answer.Wire!;
        long acknowledged = connection.LastAcknowledged;
        Guid bound = connection.Bound;
        if (welcome.Received < acknowledged || (bound != Guid.Empty && bound != welcome.Conversation))
        {
            wire.Close(CloseCode.Protocol, "That is not the conversation that was asked for.");
            wire.Dispose();
            connection.Refuse(
                $"{_exit.Address} has message {welcome.Received} as the last of \"{_client}\", and " +
                $"{acknowledged} was acknowledged: one of both machines has lost its place. Remove the " +
                "conversation on both.");
            return;
        }

        connection.Bind(welcome.Conversation);
        NamedLeg leg = new(connection, wire, welcome.Received, () => _exit.WakeFor(this));
        _leg = leg;
        _wire = wire;
        try
        {
            new Thread(() => Carry(leg)) { IsBackground = true, Name = "ipc-tcp-in" }.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            _leg = null;
            _wire = null;
            wire.Abort("no thread");
            connection.Close(CloseCode.Shutdown, "The exit has no memory for another thread.");
            return;
        }

        connection.Accept(welcome.Reply);
    }

    private void Clear()
    {
        _patience?.Dispose();
        _patience = null;
        _waiting = null;
    }

    private void Ask(NamedConnection connection)
    {
        NamedState state = new()
        {
            Client = _client,
            Login = connection.ReadLogin(),
            Conversation = connection.Id,
            Bound = connection.Bound,
            Acknowledged = connection.LastAcknowledged,
            Sent = connection.LastArrived,
            Received = connection.LastSent,
        };
        _isAsking = true;
        try
        {
            new Thread(() => Ask(state)) { IsBackground = true, Name = "ipc-tcp-ask" }.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            _isAsking = false;
            TurnAway("The exit has no memory for another thread.");
        }
    }

    // ---- on other threads ----

    private void LosePatience()
    {
        lock (_sync)
            TurnAway($"{_exit.Address} is being asked: come again.");
    }

    private void Ask(NamedState state)
    {
        Answer answer = Greet(state);
        lock (_sync)
        {
            _isAsking = false;
            if (answer.Refusal is CloseCode.None)
                _failures = 0;
            else
                Fail(answer.Text);
            if (_ended)
            {
                answer.Wire?.Abort("The exit has ended.");
                return;
            }

            if (_waiting is { } waiting && waiting.Id == state.Conversation)
            {
                Give(answer);
            }
            else if (answer.Refusal != CloseCode.Shutdown)
            {
                answer.Until = Clock.Now + KeepsAnswer;
                _answer = answer;
            }
        }
    }

    private void Fail(string text)
    {
        _lastFailure = text;
        double longest = Math.Min(LongestPause, 50 << Math.Min(_failures++, 10));
        lock (s_random)
            longest *= 0.5 + s_random.NextDouble() / 2;
        _asksAgain = Clock.Now + (long)longest;
    }

    private Answer Greet(NamedState state)
    {
        Answer answer = new() { Conversation = state.Conversation };
        try
        {
            Wire wire = answer.Wire = Wire.Connect(_exit.Address, _exit.Options);
            new Hello
            {
                Carries = Hello.CarriesNamed,
                Alive = (uint)_exit.Options.AliveMilliseconds,
                Longest = (uint)_exit.Options.MaxMessage,
                Server = _exit.Address.Name,
                Token = _exit.Options.Token.ToArray(),
                Named = state,
            }.Send(wire);
            answer.Welcome = Welcome.Read(wire, isNamed: true);
            wire.Begin(answer.Welcome.Alive, answer.Welcome.Longest);
            return answer;
        }
        catch (TcpRefusedException e)
        {
            answer.Refusal = e.Code;
            answer.Text = e.Message;
        }
        catch (Exception e) when (e is IOException or TcpProtocolException)
        {
            answer.Refusal = CloseCode.Shutdown;
            answer.Text = $"{_exit.Address}: {e.Message}";
        }

        answer.Wire?.Dispose();
        answer.Wire = null;
        return answer;
    }

    private void Carry(NamedLeg leg)
    {
        (CloseCode code, string text) = leg.Receive();
        leg.Connection.Close(code, text);
        lock (_sync)
        {
            _leg = null;
            _wire = null;
        }
    }
}
