using System.Diagnostics;

namespace Ipc.Rpc;

// One thread serves all connections as long as that costs nobody anything: handing a request over takes longer than
// most handlers do. A connection whose requests do take long is noticed by what comes next, a request of another one
// that was found right behind it. It is the slow one that is read aside then: the leader stays free for the quick ones.

/// <summary>Which connection is in the way of others. The leader's.</summary>
internal sealed class TurnWatch
{
    // 20 us: what is found so soon after something long has waited for it
    private static readonly long _atOnce = Stopwatch.Frequency / 50_000;

    private readonly long _long;
    private ServerConnection? _slow; // whose requests have taken long
    private long _slowEnded;

    /// <summary>Has seen nothing yet.</summary>
    /// <param name="longTurn">What others should not have to wait for, in ticks of the stopwatch.</param>
    public TurnWatch(long longTurn) => _long = longTurn;

    /// <summary>Notes how long a connection's requests took, and whether they had to wait for another one's.</summary>
    /// <param name="connection">What was read.</param>
    /// <param name="began">When that began; then, when it ended.</param>
    /// <returns>Whether it took so long that others may wait now.</returns>
    public bool Note(ServerConnection connection, ref long began)
    {
        long ended = Stopwatch.GetTimestamp();
        bool isLong = ended - began > _long;
        if (_slow is { } slow && !ReferenceEquals(slow, connection) && began - _slowEnded < _atOnce)
            slow.IsInTheWay();
        _slow = connection.IsOftenLong(isLong) ? connection : null;
        _slowEnded = began = ended;
        return isLong;
    }

    /// <summary>A connection has gone: whatever comes next has waited for nobody that is still there.</summary>
    public void Forget() => _slow = null;
}
