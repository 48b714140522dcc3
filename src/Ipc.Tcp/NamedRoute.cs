using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>The way of one named connection, from its exit: none, being asked for, or there; then the server there is
/// asked, and its answer waits for the client or the client for the answer.</summary>
/// <remarks>
/// A login is not kept waiting for the network: who connects to another machine is a thread of this, and if the client
/// has no answer within <see cref="Patience"/> ms it is told to come again.
/// After a failure nobody asks for a while, which grows to <see cref="LongestPause"/> ms, at random between half of it
/// and all; whoever logs in meanwhile is told why at once. So no client's call waits for a network that does not
/// answer.
/// </remarks>
#pragma warning disable CA1001 // its timer is disposed with the login that it is for
internal sealed partial class NamedRoute
#pragma warning restore CA1001
{
    public const int KeepsAnswer = 10_000; // ms, for a client that was told to come again

    private const int Patience = 20;
    private const int LongestPause = 2000;
    private const int LongestIdentity = 120;
    private const int FormerEndsWithin = 2000;
    private const int ShortLife = 5000; // of a way that ended in error

    private static readonly Random s_random = new();

    private readonly ExitOfNamed _exit;
    private readonly string _client;
    private readonly object _sync = new(); // for all that follows
    private NamedConnection? _waiting; // its login is not answered
    private Timer? _patience;
    private Timer? _forgets;           // an answer, or a way that no client comes for
    private bool _isAsking;
    private Answer? _answer;
    private NamedLeg? _leg;            // that carries
    private Wire? _wire;               // of _leg
    private NamedState _asked = new();  // that _leg is for
    private LoggedIn? _loggedIn;       // what the server there has said
    private bool _isAccepted;          // the client here, by it
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
        public NamedConnection? Connection { get; set; } // of an answer that is kept

        /// <summary>Whether that is what it would be asked for now.</summary>
        public bool IsFor(NamedConnection connection) =>
            Asked.Conversation == connection.Id && Asked.Login.AsSpan().SequenceEqual(connection.ReadLogin());
    }

    /// <summary>By the leading thread.</summary>
    public void LogsIn(NamedConnection connection)
    {
        lock (_sync)
        {
            if (_ended || _exit.IsDisposed)
            {
                connection.TurnAway("The exit has ended.");
                return;
            }

            if (_leg is not null && !IsForLeg(connection)) // the former session is still on its way out
            {
                if (_formerSince == 0)
                    _formerSince = Clock.Now;
                else if (_formerSince + FormerEndsWithin < Clock.Now)
                    _wire?.Abort("Its client has logged in again.");
                const string text = "The former session is still being ended: come again.";
                if (ReferenceEquals(_leg.Connection, connection))
                    connection.TurnAway(text);
                else
                    connection.Close(CloseCode.Shutdown, text); // another conversation: nobody's until then
                return;
            }

            if (_loggedIn is { } reply)
            {
                _isAccepted = true;
                connection.Accept(reply.Reply);
                return;
            }

            _waiting = connection;
            if (_answer is { } answer)
            {
                if (answer.IsFor(connection))
                {
                    _forgets?.Dispose();
                    _answer = null;
                    GiveSafely(answer);
                    return;
                }

                ForgetAnswer();
            }

            if (_leg is null && !_isAsking && Clock.Now < _asksAgain)
                LetGo(_lastFailure);
            else if (_leg is null && !_isAsking)
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

    /// <summary>The same; and nothing is being asked for it, so that the conversation is nobody's here.</summary>
    private void LetGo(string text)
    {
        NamedConnection? waiting = _waiting;
        Clear();
        waiting?.Close(CloseCode.Shutdown, text);
    }

    private void ForgetAnswer()
    {
        _forgets?.Dispose();
        _forgets = null;
        _answer?.Wire?.Abort("Its client did not come again.");
        _answer = null;
    }

    private void TurnAway(string text)
    {
        _patience?.Dispose();
        _patience = null;
        NamedConnection? waiting = _waiting;
        _waiting = null;
        waiting?.TurnAway(text);
    }

    /// <summary>A refusal.</summary>
    private void Give(Answer answer)
    {
        NamedConnection connection = _waiting!;
        switch (answer.Refusal)
        {
            case CloseCode.Identity:
                Clear();
                connection.RefuseAsAnother(IdentityOf(answer.Text));
                return;
            case CloseCode.Shutdown:
                LetGo(answer.Text);
                return;
            default:
                Clear();
                connection.Refuse(answer.Text);
                return;
        }
    }

    /// <summary>There is a way; the server there is being asked.</summary>
    private void Begin(NamedConnection connection, Answer answer)
    {
        Welcome welcome = answer.Welcome!;
        Wire wire = answer.Wire!;
        long acknowledged = connection.LastAcknowledged;
        Guid bound = connection.Bound;
        if (connection.Id != answer.Asked.Conversation)
        {
            wire.Abort("Its client has another conversation by now.");
            return;
        }

        if (welcome.Received < acknowledged || welcome.Received > connection.LastArrived ||
            (bound != Guid.Empty && bound != welcome.Conversation))
        {
            wire.Close(CloseCode.Protocol, "That is not the conversation that was asked for.");
            wire.Dispose();
            answer.Wire = null;
            answer.Refusal = CloseCode.Refused;
            answer.Text =
                $"{_exit.Address} has message {welcome.Received} as the last of \"{_client}\", in conversation " +
                $"{welcome.Conversation}; {acknowledged} was acknowledged of {connection.LastArrived}, in " +
                $"{(bound == Guid.Empty ? "none yet" : bound)}: one of both machines has lost its place. Remove the " +
                "conversation on both.";
            GiveOrKeep(answer, connection);
            return;
        }

        NamedLeg leg = new(connection, wire, welcome.Received, () => _exit.WakeFor(this));
        leg.LoggedIn = reply => LetIn(leg, welcome.Conversation, reply);
        _leg = leg;
        _legSince = Clock.Now;
        _formerSince = 0;
        _wire = wire;
        _asked = answer.Asked;
        _loggedIn = null;
        _isAccepted = false;
        try
        {
            new Thread(() => Carry(leg)) { IsBackground = true, Name = "ipc-tcp-in" }.Start();
            _forgets = new Timer(static it => ((NamedRoute)it!).Forget(), this, KeepsAnswer, Timeout.Infinite);
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            _leg = null;
            _wire = null;
            wire.Abort("no thread");
            LetGo("The exit has no memory for another thread.");
        }
    }

    private bool IsForLeg(NamedConnection connection) =>
        ReferenceEquals(_leg!.Connection, connection) && !_isAccepted &&
        _wire is { IsOver: false, HasFinished: false } &&
        _asked.Login.AsSpan().SequenceEqual(connection.ReadLogin());

    private void GiveOrKeep(Answer answer, NamedConnection connection)
    {
        if (_waiting is { } waiting && answer.IsFor(waiting))
        {
            GiveSafely(answer);
        }
        else if (answer.Refusal != CloseCode.Shutdown)
        {
            ForgetAnswer();
            answer.Connection = connection;
            _answer = answer;
            _forgets = new Timer(static it => ((NamedRoute)it!).Forget(), this, KeepsAnswer, Timeout.Infinite);
        }
        else if (_waiting is null)
        {
            connection.Close(CloseCode.Shutdown, answer.Text); // it is nobody's here until its client comes again
        }
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
            new Thread(() => Ask(connection, state)) { IsBackground = true, Name = "ipc-tcp-ask" }.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            _isAsking = false;
            TurnAway("The exit has no memory for another thread.");
        }
    }
}
