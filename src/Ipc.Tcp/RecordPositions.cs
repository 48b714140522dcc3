using System.Threading;

namespace Ipc.Tcp;

/// <summary>Where the last records of a ring begin, by their number: positions are each machine's own, numbers are
/// both's. For any thread.</summary>
internal sealed class RecordPositions
{
    public const ulong Unknown = ulong.MaxValue;

    private const int Kept = 8192; // more are not on their way, unless they are very small
    private const int EndsWithin = 1000; // ms

    private readonly object _sync = new();
    private long[] _begins = new long[64]; // of record n at n modulo its length
    private long _count;
    private long _end;   // of the last one, ...
    private long _ended; // ... if that is so many

    /// <summary>The next record begins at or behind that position.</summary>
    public void Add(long position)
    {
        lock (_sync)
        {
            if (_count == _begins.Length && _begins.Length < Kept)
            {
                long[] larger = new long[2 * _begins.Length];
                _begins.CopyTo(larger, 0);
                _begins = larger;
            }

            _begins[_count++ & (_begins.Length - 1)] = position;
        }
    }

    /// <summary>The last one ends at or before that position, and the next one begins behind it.</summary>
    public void AddEnd(long position)
    {
        lock (_sync)
        {
            _end = position;
            _ended = _count;
            Monitor.PulseAll(_sync);
        }
    }

    /// <summary>How many records there were.</summary>
    public ulong Count
    {
        get
        {
            lock (_sync)
                return (ulong)_count;
        }
    }

    /// <summary>How many records begin before that position; <see cref="Unknown"/> if that is too long ago.</summary>
    public ulong CountBefore(long position)
    {
        lock (_sync)
        {
            long first = First;
            if (first > 0 && position <= At(first))
                return Unknown;
            long low = first, high = _count;
            while (low < high)
            {
                long middle = low + (high - low) / 2;
                if (At(middle) < position)
                    low = middle + 1;
                else
                    high = middle;
            }

            return (ulong)low;
        }
    }

    /// <summary>Where the record behind so many ones begins, or the last one's end when it has not come yet; null if
    /// that is not known any more, or never was. Who has added the last one may be about to say where it ends: for that
    /// it waits.</summary>
    /// <remarks>Were it to take the last one's beginning for its end, who wrote that one would be told that it was not
    /// handled, and would send it again.</remarks>
    public long? BeginOf(ulong count)
    {
        lock (_sync)
        {
            if (count == (ulong)_count && _ended != _count)
                Monitor.Wait(_sync, EndsWithin);
            if (count == Unknown || count > (ulong)_count || (long)count < First)
                return null;
            long begin = count < (ulong)_count ? At((long)count) : _ended == _count ? _end : -1;
            return begin >= 0 ? begin : null; // a ring that was closed says -1
        }
    }

    private long First => _count < _begins.Length ? 0 : _count - _begins.Length;

    private long At(long number) => _begins[number & (_begins.Length - 1)];
}
