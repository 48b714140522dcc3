using System.Diagnostics;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>How long one connection that is read aside stays there.</summary>
internal sealed class AsideTurn
{
    private const int MostQuick = 64; // in a row
    private static readonly long _longest = Stopwatch.Frequency / 500; // 2 ms, then another one may have the thread
    // 100 us: a client that sleeps needs some time for its next call
    private static readonly long _longestIdle = Stopwatch.Frequency / 10_000;

    private readonly long _long;
    private readonly long _mostIdle;
    private readonly long _began = Stopwatch.GetTimestamp();
    private long _lookedAt; // last
    private long _idleSince; // 0: it is not
    private int _quick;

    /// <summary>Begins.</summary>
    /// <param name="longTurn">What others should not have to wait for, in ticks of the stopwatch.</param>
    /// <param name="spins">Whether the server's threads look for a while before they sleep.</param>
    public AsideTurn(long longTurn, bool spins)
    {
        _long = longTurn;
        _mostIdle = spins ? _longestIdle : 0;
        _lookedAt = _began;
    }

    /// <summary>It had something to read.</summary>
    /// <param name="isWanted">Whether others want a thread.</param>
    /// <returns>Whether it has become quick, or had the thread for long while others want one.</returns>
    public bool IsOver(bool isWanted)
    {
        long now = Stopwatch.GetTimestamp();
        _quick = now - _lookedAt > _long ? 0 : _quick + 1;
        _lookedAt = now;
        _idleSince = 0;
        return _quick > MostQuick || (isWanted && now - _began > _longest);
    }

    /// <summary>It had nothing.</summary>
    /// <returns>Whether it has had nothing for long enough.</returns>
    public bool IsIdle()
    {
        Thread.SpinWait(1);
        _lookedAt = Stopwatch.GetTimestamp();
        if (_idleSince == 0)
            _idleSince = _lookedAt;
        return _lookedAt - _idleSince >= _mostIdle;
    }
}
