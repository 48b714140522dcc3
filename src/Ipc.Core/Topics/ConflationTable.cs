using System;

namespace Ipc;

/// <summary>For each key that waits to be read: the position of its newest message. Keys come out in the order in which
/// they came in.</summary>
/// <remarks>
/// Chained rows of one array, so that nothing is allocated once it has grown. The rows in use also form a list, oldest
/// key first. Keys are anybody's numbers: the hash is seeded.
/// </remarks>
internal sealed class ConflationTable
{
    private const int None = -1;

    private readonly ulong _seed = (ulong)Guid.NewGuid().GetHashCode() << 1 | 1;
    private int[] _heads;
    private Row[] _rows;
    private int _used;         // rows that were ever in use
    private int _free = None;  // a list of those that are no more
    private int _first = None; // the key that waits longest
    private int _last = None;

    private struct Row
    {
        public ulong Key;
        public ulong Position;
        public ulong Conflated; // messages that this one stands for
        public int NextOfHash;  // or of the free rows
        public int NextInTurn;
    }

    public ConflationTable(int capacity = 64)
    {
        _rows = new Row[capacity]; // a power of two
        _heads = NewHeads(capacity);
    }

    public int Count { get; private set; }

    /// <summary>Notes the newest message of a key. True when it replaces one that was not read.</summary>
    public bool Put(ulong key, ulong position)
    {
        for (int row = _heads[Bucket(key)]; row != None; row = _rows[row].NextOfHash)
        {
            if (_rows[row].Key != key)
                continue;
            _rows[row].Position = position;
            _rows[row].Conflated++;
            return true;
        }

        if (_free == None && _used == _rows.Length)
            Grow();
        int added = _free;
        if (added == None)
            added = _used++;
        else
            _free = _rows[added].NextOfHash;

        int bucket = Bucket(key);
        _rows[added] = new Row { Key = key, Position = position, NextOfHash = _heads[bucket], NextInTurn = None };
        _heads[bucket] = added;
        if (_last == None)
            _first = added;
        else
            _rows[_last].NextInTurn = added;
        _last = added;
        Count++;
        return false;
    }

    /// <summary>Takes the key out that has waited longest.</summary>
    public bool TryTake(out ulong position, out ulong conflated)
    {
        position = conflated = 0;
        if (_first == None)
            return false;

        int row = _first;
        position = _rows[row].Position;
        conflated = _rows[row].Conflated;
        _first = _rows[row].NextInTurn;
        if (_first == None)
            _last = None;
        Remove(row);
        return true;
    }

    /// <summary>Forgets every key whose newest message is before a position; returns how many.</summary>
    public int DropBefore(ulong position)
    {
        int before = Count;
        int previous = None;
        for (int row = _first; row != None;)
        {
            int next = _rows[row].NextInTurn;
            if (_rows[row].Position >= position)
            {
                previous = row;
            }
            else
            {
                if (previous == None)
                    _first = next;
                else
                    _rows[previous].NextInTurn = next;
                if (next == None)
                    _last = previous;
                Remove(row);
            }

            row = next;
        }

        return before - Count;
    }

    public void Clear()
    {
        _heads = NewHeads(_heads.Length);
        _used = Count = 0;
        _free = _first = _last = None;
    }

    private void Remove(int row)
    {
        ref int link = ref _heads[Bucket(_rows[row].Key)];
        while (link != row)
            link = ref _rows[link].NextOfHash;
        link = _rows[row].NextOfHash;
        _rows[row].NextOfHash = _free;
        _free = row;
        Count--;
    }

    private void Grow()
    {
        Array.Resize(ref _rows, _rows.Length * 2);
        _heads = NewHeads(_rows.Length);
        for (int row = _first; row != None; row = _rows[row].NextInTurn) // all rows are in use
        {
            int bucket = Bucket(_rows[row].Key);
            _rows[row].NextOfHash = _heads[bucket];
            _heads[bucket] = row;
        }
    }

    private int Bucket(ulong key)
    {
        ulong hash = (key ^ key >> 32) * (0x9E37_79B9_7F4A_7C15 + (_seed << 1));
        return (int)(hash >> 32 & (ulong)(_heads.Length - 1));
    }

    private static int[] NewHeads(int count)
    {
        int[] heads = new int[count];
        for (int index = 0; index < count; index++)
            heads[index] = None;
        return heads;
    }
}
