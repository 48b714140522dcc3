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
    private const int LongestIdentity = 120;
    private const int KeepsAnswer = 10_000; // ms
    private const int FormerEndsWithin = 2000;
    private const int ShortLife = 5000; // of a way that ended in error

    private static readonly Random s_random = new();

    private readonly ExitOfNamed _exit;
    private readonly string _client;
    private readonly object _sync = new(); // for all that follows
    private NamedConnection? _waiting; // its login is not answered
    private Timer? _patience;
    private Timer? _forgetsAnswer;
    private bool _isAsking;
    private Answer? _answer;
    private NamedLeg? _leg;            // that carries
    private Wire? _wire;               // of _leg, or of the answer
    private int _failures;
    private long _asksAgain;
    private string _lastFailure = "";
    private int _turns;                // of forwarding: the last one, ...
    private bool _isForwarding;        // ... and whether it goes on
    private long _legSince;
    private long _formerSince;         // somebody else logs in while there is a leg
    private bool _ended;

    public NamedRoute(ExitOfNamed exit, string client)
    {
        _exit = exit;
        _client = client;
    }

    /// <summary>What the other machine said.</summary>
    private sealed class Answer
    {
        public NamedState Asked { get; set; } = new();
        public CloseCode Refusal { get; set; } // None: welcome
        public string Text { get; set; } = "";
        public Welcome? Welcome { get; set; }
        public Wire? Wire { get; set; }

        /// <summary>Whether that is what it would be asked for now.</summary>
        public bool IsFor(NamedConnection connection) =>
            Asked.Conversation == connection.Id && Asked.Login.AsSpan().SequenceEqual(connection.ReadLogin());
    }

    /// <summary>By the leading thread.</summary>
    public void LogsIn(NamedConnection connection)
    {
        lock (_sync)
        {
            if (_ended || _leg is not null) // the former session is still on its way out
            {
                if (_formerSince == 0)
                    _formerSince = Clock.Now;
                else if (_formerSince + FormerEndsWithin < Clock.Now)
                    _wire?.Abort("Its client has logged in again.");
                connection.Close(CloseCode.Shutdown, "The former session is still being ended: come again.");
                return;
            }

            _waiting = connection;
            if (_answer is { } answer)
            {
                if (answer.IsFor(connection))
                {
                    _forgetsAnswer?.Dispose();
                    _answer = null;
                    GiveSafely(answer);
                    return;
                }

                ForgetAnswer();
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
    /// <returns>For <see cref="EndForwarding"/>.</returns>
    public int Forward(NamedConnection connection, Action beforeWaiting)
    {
        NamedLeg? leg;
        int turn;
        lock (_sync)
        {
            leg = _leg;
            turn = ++_turns;
            _isForwarding = true;
        }

        if (leg is null || !ReferenceEquals(leg.Connection, connection))
            return turn; // it is over, and says so to whoever logs in next
        try
        {
            leg.Forward(beforeWaiting);
        }
        catch (Exception e) when (e is IpcException or TcpProtocolException)
        {
            leg.EndWire(CloseCode.Protocol, e.Message);
            connection.Close(CloseCode.Protocol, e.Message);
        }

        return turn;
    }

    /// <summary>What came while it was lent is the leader's again; unless another thread has the next turn
    /// already.</summary>
    public void EndForwarding(int turn)
    {
        bool isDue;
        lock (_sync)
        {
            if (turn != _turns)
                return;
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
                wire.End(CloseCode.Shutdown, text);
            }

            ForgetAnswer();
            TurnAway(text);
        }
    }

    // ---- under the lock ----

    private void ForgetAnswer()
    {
        _forgetsAnswer?.Dispose();
        _forgetsAnswer = null;
        _answer?.Wire?.Abort("Its client did not come again.");
        _answer = null;
    }

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
                connection.RefuseAsAnother(IdentityOf(answer.Text));
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
        if (welcome.Received < acknowledged || welcome.Received > connection.LastArrived || (bound != Guid.Empty && bound != welcome.Conversation))
        {
            wire.Close(CloseCode.Protocol, "That is not the conversation that was asked for.");
            wire.Dispose();
            connection.Refuse(
                $"{_exit.Address} has message {welcome.Received} as the last of \"{_client}\", and " +
                $"{acknowledged} was acknowledged of {connection.LastArrived}: one of both machines has lost its place. Remove the " +
                "conversation on both.");
            return;
        }

        connection.Bind(welcome.Conversation);
        NamedLeg leg = new(connection, wire, welcome.Received, () => _exit.WakeFor(this));
        _leg = leg;
        _legSince = Clock.Now;
        _formerSince = 0;
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

    /// <summary>Who the client is told it is with now.</summary>
    private string IdentityOf(string said) =>
        said.Length == 0 || System.Text.Encoding.UTF8.GetByteCount(said) > LongestIdentity ? _exit.Address.Name : said;

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
            MaxPayload = connection.MaxPayload,
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

    private void LoseAnswer()
    {
        lock (_sync)
            ForgetAnswer();
    }

    private void Ask(NamedState state)
    {
        Answer answer = Greet(state);
        lock (_sync)
        {
            _isAsking = false;
            if (answer.Refusal is not CloseCode.None)
                Fail(answer.Text);
            if (_ended)
            {
                answer.Wire?.Abort("The exit has ended.");
                return;
            }

            if (_waiting is { } waiting && answer.IsFor(waiting))
            {
                GiveSafely(answer);
            }
            else if (answer.Refusal != CloseCode.Shutdown)
            {
                ForgetAnswer();
                _answer = answer;
                _forgetsAnswer = new Timer(static it => ((NamedRoute)it!).LoseAnswer(), this, KeepsAnswer, Timeout.Infinite);
            }
        }
    }

    /// <summary>What has been done to the client's region ends its login, and nothing else.</summary>
    private void GiveSafely(Answer answer)
    {
        NamedConnection connection = _waiting!;
        try
        {
            Give(answer);
        }
        catch (IpcException e)
        {
            answer.Wire?.Abort(e.Message);
            Clear();
            connection.Close(CloseCode.Protocol, e.Message);
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
        Answer answer = new() { Asked = state };
        try
        {
            Wire wire = answer.Wire = Wire.Connect(_exit.Address, _exit.Options);
            new Hello
            {
                Carries = Hello.CarriesNamed,
                Alive = (uint)_exit.Options.AliveMilliseconds,
                Longest = (uint)Math.Min(_exit.Options.MaxMessage, state.MaxPayload),
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
            if (leg.EndedInError && _legSince + ShortLife > Clock.Now)
                Fail(text); // the next one may end so, too: not at once
            else
                _failures = 0;
        }
    }
}
