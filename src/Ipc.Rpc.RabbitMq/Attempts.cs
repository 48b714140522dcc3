using System;

namespace Ipc.Rpc.RabbitMq;

// When a node of a broker dies, everybody who was connected to it comes back at once, to fewer nodes than before. A
// broker opens them all at the same time, and takes 5 to 7 ms of a processor for each server: with ten thousand of them
// none is open before half a minute. Who gives up after ten seconds, and tries again after five, makes it worse: what
// the broker has done for it was for nothing. Beyond a number of clients nobody comes back
// (tests/Ipc.Rpc.RabbitMq.Tests/Simulation shows it, and docs/guide/many-machines.md has the figures). So an attempt
// that a node has taken and left without an answer says that it is busy with others: the next one may take twice as
// long, and begins after a pause of as long as this one was allowed to take, both up to eight timeouts, or two minutes.
// The pauses do most of it: RabbitMQ itself ends what has not logged in within ten seconds. A broker that cannot be
// reached at all, or says no, it costs nothing to be asked: that has the usual pauses.

/// <summary>When an end that has lost its broker tries again, and how long it waits for the answer then.</summary>
internal sealed class Attempts
{
    private const int Doublings = 3;
    private static readonly TimeSpan _most = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan _soon = TimeSpan.FromSeconds(5);

    private readonly TimeSpan _firstPause;
    private readonly TimeSpan _longestPause;
    private readonly TimeSpan _connectTimeout;
    private TimeSpan _pause;
    private int _unanswered; // how many in a row
    private bool _wasSilent; // a node, in the attempt that is under way

    public Attempts(RabbitMqOptions options)
    {
        _firstPause = options.FirstPause;
        _longestPause = options.LongestPause;
        _connectTimeout = options.ConnectTimeout;
        BeginAnew();
    }

    /// <summary>How long the attempt that is under way, or the next one, may take.</summary>
    public TimeSpan Patience => Doubled(_unanswered);

    /// <param name="dice">0 to 1, at random, so that those who have lost the same broker do not come at once.</param>
    /// <returns>How long to wait before the next attempt.</returns>
    public TimeSpan NextPause(double dice)
    {
        TimeSpan busy = _unanswered == 0 ? default : Doubled(_unanswered - 1);
        busy = busy < _most ? busy : _most;
        TimeSpan pause = _pause > busy ? _pause : busy;
        _pause = _pause + _pause < _longestPause ? _pause + _pause : _longestPause;
        _wasSilent = false;
        return pause * (0.5 + (dice / 2));
    }

    /// <summary>A node whose machine had taken the connection has not opened it.</summary>
    /// <param name="took">How long after that.</param>
    /// <param name="allowed">How long it might have taken.</param>
    public void NodeFailed(TimeSpan took, TimeSpan allowed) => _wasSilent |= !IsSoon(took, allowed);

    /// <summary>The attempt has failed, at all nodes.</summary>
    /// <param name="took">After so long.</param>
    /// <param name="wasAnswered">The broker has said why.</param>
    public void Failed(TimeSpan took, bool wasAnswered)
    {
        if (wasAnswered)
            _unanswered = 0;
        else if (_wasSilent)
            _unanswered++;
        else if (IsSoon(took, _connectTimeout))
            _unanswered = 0; // else nobody has even taken it: what was thought of the broker before stays
    }

    /// <summary>What is closed at once, as by a balancer that has nobody behind it, is no sign of a crowd.</summary>
    private static bool IsSoon(TimeSpan took, TimeSpan allowed) => took < allowed / 2 && took < _soon;

    /// <summary>One has succeeded: the broker is not that busy any more. The pauses stay, until the connection has
    /// lasted.</summary>
    public void Answered() => _unanswered = 0;

    /// <summary>The connection has lasted: what comes after it has nothing to do with what was before it.</summary>
    public void BeginAnew()
    {
        _pause = _firstPause;
        Answered();
    }

    private TimeSpan Doubled(int times)
    {
        TimeSpan time = _connectTimeout * (1 << Math.Min(times, Doublings));
        return time < _most ? time : _connectTimeout > _most ? _connectTimeout : _most;
    }
}
