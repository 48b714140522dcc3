using System;

namespace Ipc.Rpc.RabbitMq;

// When a node of a broker dies, everybody who was connected to it comes back at once, to fewer nodes than before. A
// broker opens them all at the same time, and takes 5 ms of a processor for each server: with ten thousand of them
// none is open before half a minute. Who gives up after ten seconds, and tries again after five, makes it worse: what
// the broker has done for it was for nothing. Beyond a number of clients nobody comes back, ever
// (tests/Ipc.Rpc.RabbitMq.Tests/Simulation shows it, and docs/guide/many-machines.md has the figures). So an attempt
// that a broker has taken, and not answered in time, says that it is busy with others: the next one waits for twice as
// long, and begins after a pause of as long as this one took. A broker that cannot be reached at all, or refuses, it
// costs nothing to be asked: that has the usual pauses.

/// <summary>When an end that has lost its broker tries again, and how long it waits for the answer then.</summary>
internal sealed class Attempts
{
    /// <summary>How many timeouts an attempt, and the pause before it, may take at most. More would bring back even more
    /// than fifty thousand at two nodes, and let a single one wait for minutes when a balancer that takes connections
    /// for a broker that is away has it again.</summary>
    private const int Most = 8;

    private readonly TimeSpan _firstPause;
    private readonly TimeSpan _longestPause;
    private readonly TimeSpan _connectTimeout;
    private TimeSpan _pause;
    private TimeSpan _unanswered;

    public Attempts(RabbitMqOptions options)
    {
        _firstPause = options.FirstPause;
        _longestPause = options.LongestPause;
        _connectTimeout = options.ConnectTimeout;
        BeginAnew();
    }

    /// <summary>How long the attempt that is under way, or the next one, may take.</summary>
    public TimeSpan Patience { get; private set; }

    /// <summary>The broker's machine has taken the connection of the attempt that is under way.</summary>
    public bool WasTaken { get; set; }

    /// <param name="dice">0 to 1, at random, so that those who have lost the same broker do not come at once.</param>
    /// <returns>How long to wait before the next attempt.</returns>
    public TimeSpan NextPause(double dice)
    {
        TimeSpan pause = _pause > _unanswered ? _pause : _unanswered;
        _pause = _pause + _pause < _longestPause ? _pause + _pause : _longestPause;
        WasTaken = false;
        return pause * (0.5 + (dice / 2));
    }

    /// <summary>An attempt has failed, after so long.</summary>
    public void Failed(TimeSpan took)
    {
        bool isBusy = WasTaken && took * 1.1 >= Patience;
        _unanswered = isBusy ? Patience : default;
        TimeSpan most = _connectTimeout * Most;
        Patience = !isBusy ? _connectTimeout : Patience * 2 < most ? Patience * 2 : most;
    }

    /// <summary>One has succeeded: the broker is not that busy any more. The pauses stay, until the connection has
    /// lasted.</summary>
    public void Answered()
    {
        _unanswered = TimeSpan.Zero;
        Patience = _connectTimeout;
    }

    /// <summary>The connection has lasted: what comes after it has nothing to do with what was before it.</summary>
    public void BeginAnew()
    {
        _pause = _firstPause;
        Answered();
    }
}
