using System;
using System.IO;
using System.Threading;

namespace Ipc.Tcp;

/// <content>On threads of its own: asking the other machine, what it says, and the end.</content>
#pragma warning disable CA1001 // see there
internal sealed partial class NamedRoute
#pragma warning restore CA1001
{
    private void LosePatience()
    {
        lock (_sync)
            TurnAway($"{_exit.Address} is being asked: come again.");
    }

    private void Forget()
    {
        lock (_sync)
        {
            if (_answer is { } answer)
            {
                ForgetAnswer();
                if (_leg is null && _waiting is null && !_isAsking) // it is nobody's here until its client comes again
                    answer.Connection?.Close(CloseCode.Shutdown, answer.Text);
            }

            if (_leg is not null && !_isAccepted)
                _wire!.End(CloseCode.Normal, "Its client did not come again.");
        }
    }

    private void Ask(NamedConnection connection, NamedState state)
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

            if (answer.Refusal != CloseCode.None)
                GiveOrKeep(answer, connection);
            else
                BeginSafely(connection, answer);
        }
    }

    private void BeginSafely(NamedConnection connection, Answer answer)
    {
        try
        {
            Begin(connection, answer);
        }
        catch (IpcException e)
        {
            answer.Wire?.Abort(e.Message);
            connection.Close(CloseCode.Protocol, e.Message);
        }
    }

    /// <summary>On the thread that reads.</summary>
    private void LetIn(NamedLeg leg, Guid conversation, LoggedIn reply)
    {
        lock (_sync)
        {
            if (!ReferenceEquals(leg, _leg) || _ended)
                return;
            // Not before: until then the other machine may drop an empty one.
            EntranceOfNamed.BindTo(leg.Connection, conversation);
            _loggedIn = reply;
            if (_waiting is not { } waiting || !IsForLeg(waiting))
                return; // with another login than was asked with: it is told to come again
            Clear();
            _isAccepted = true;
            waiting.Accept(reply.Reply);
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
        bool isAccepted;
        lock (_sync)
            isAccepted = _isAccepted;
        if (isAccepted)
            leg.Connection.Close(code, text);
        lock (_sync)
        {
            _leg = null;
            _wire = null;
            _loggedIn = null;
            if (leg.EndedInError && _legSince + ShortLife > Clock.Now)
                Fail(text); // the next one may end so, too: not at once
            else if (isAccepted)
                _failures = 0;
            else
                Fail(text);
            if (isAccepted)
                return;
            if (code is not (CloseCode.Refused or CloseCode.Identity))
                code = CloseCode.Shutdown;
            GiveOrKeep(new Answer { Asked = _asked, Refusal = code, Text = text }, leg.Connection);
        }
    }
}
