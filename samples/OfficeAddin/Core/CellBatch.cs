using System;
using System.Collections.Generic;
using System.Threading;

namespace OfficeAddin;

// A host that calls functions one after another, each to its end, never has two questions under way; but it asks the same questions in every
// recalculation, and in nearly the same order. So:
//
// - Who asks for a cell that was asked for before asks for those, too, that have not been asked for since then, the longest unasked first: in the next
//   recalculation these are the cells that follow. At most BatchCells of them, so that what is fetched is used while it is fresh.
// - Who asks for a cell whose answer is no older than Freshness gets that. Nothing else is ever handed out twice.
// - Threads that ask at the same time (multi-threaded recalculation) need no memory: while one request is under way the others' cells gather, and the first
//   of them takes all along in the next request.
// - A cell that was fetched on suspicion and not asked for, three times in a row, is forgotten: it has left the sheet.
//
// A recalculation is over when a cell of it is asked for again after its answer has gone stale. That is a guess (a sheet may ask for a cell twice), and only
// decides what is fetched on suspicion.

/// <summary>Answers the cells of a service one by one and asks for them many at a time.</summary>
internal sealed class CellBatch
{
    private const int Suspicions = 3;

    private readonly SheetService _service;
    private readonly long _freshness;
    private readonly Func<long> _now;
    private readonly int _most;
    private readonly object _gate = new();
    private readonly Dictionary<CellKey, Cell> _cells = new();
    private readonly LinkedList<Cell> _unasked = new(); // the longest unasked first
    private Round _next = new();
    private bool _asking;
    private int _recalculation = 1;

    public CellBatch(SheetService service, SheetOptions options)
    {
        _service = service;
        _freshness = Clock.Ticks(options.Freshness);
        _now = options.Now;
        _most = options.BatchCells;
    }

    /// <summary>How many cells it remembers.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _cells.Count;
        }
    }

    public CellValue Get(string id, string field, long until)
    {
        Cell cell;
        Round round;
        lock (_gate)
        {
            cell = Asked(new CellKey(id, field));
            bool repeated = cell.Recalculation == _recalculation;
            bool fresh = IsFresh(cell, _now());
            if (repeated && !fresh)
                _recalculation++;
            cell.Recalculation = _recalculation;
            if (fresh)
                return cell.Value;
            if (_service.IsPausing)
                return CellValue.NotAvailable;
            round = cell.Round ?? _next.Add(cell);
        }
        while (true)
        {
            Round mine;
            lock (_gate)
            {
                while (_asking && !round.IsOver)
                {
                    TimeSpan left = Clock.Until(until);
                    if (left <= TimeSpan.Zero || !Monitor.Wait(_gate, left))
                        return CellValue.NotAvailable; // who leads the request says why
                }
                if (round.IsOver)
                    return round.HasAnswers ? cell.Value : CellValue.NotAvailable;
                mine = _next; // which is round: every other one is over or under way
                _next = new Round();
                _asking = true;
                AddExpected(mine);
            }
            Ask(mine, until);
        }
    }

    private bool IsFresh(Cell cell, long now) => cell.AnsweredAt != 0 && now - cell.AnsweredAt < _freshness && _service.IsConnected;

    private Cell Asked(CellKey key)
    {
        if (_cells.TryGetValue(key, out Cell? cell))
            _unasked.Remove(cell.Node);
        else
            _cells.Add(key, cell = new Cell(key));
        _unasked.AddLast(cell.Node);
        cell.Suspicions = 0;
        return cell;
    }

    private void AddExpected(Round round)
    {
        if (!round.HasKnownCells)
            return; // a new cell says nothing about others
        long now = _now();
        LinkedListNode<Cell>? next;
        for (LinkedListNode<Cell>? node = _unasked.First; node is not null && round.Cells.Count < _most; node = next)
        {
            next = node.Next;
            Cell cell = node.Value;
            if (cell.Recalculation == _recalculation)
                return; // and so have all after it: they have been asked for in this recalculation
            if (cell.Round is not null || IsFresh(cell, now))
                continue;
            if (cell.Suspicions++ == Suspicions)
            {
                _unasked.Remove(node);
                _cells.Remove(cell.Key);
            }
            else
            {
                round.Add(cell);
            }
        }
    }

    private void Ask(Round round, long until)
    {
        CellGrid? answers = null;
        try
        {
            var keys = new CellKey[round.Cells.Count];
            for (int i = 0; i < keys.Length; i++)
                keys[i] = round.Cells[i].Key;
            answers = _service.Grid(Requests.Of(keys), until);
        }
        finally
        {
            lock (_gate)
            {
                round.End(answers, _now());
                _asking = false;
                Monitor.PulseAll(_gate);
            }
        }
    }

    private sealed class Cell
    {
        public Cell(CellKey key)
        {
            Key = key;
            Node = new LinkedListNode<Cell>(this);
        }

        public CellKey Key { get; }

        public LinkedListNode<Cell> Node { get; }

        public CellValue Value { get; set; }

        public long AnsweredAt { get; set; } // 0: never

        public int Recalculation { get; set; } // in which it was last asked for

        public int Suspicions { get; set; } // how often it was fetched since then

        public Round? Round { get; set; } // in which it is being fetched
    }

    /// <summary>What one request asks for. Under the gate, but for the list of cells, which stands still from the request on.</summary>
    private sealed class Round
    {
        public List<Cell> Cells { get; } = new();

        public bool HasKnownCells { get; private set; }

        public bool IsOver { get; private set; }

        public bool HasAnswers { get; private set; }

        public Round Add(Cell cell)
        {
            Cells.Add(cell);
            HasKnownCells |= cell.AnsweredAt != 0;
            cell.Round = this;
            return this;
        }

        public void End(CellGrid? answers, long now)
        {
            IsOver = true;
            HasAnswers = answers is not null;
            for (int i = 0; i < Cells.Count; i++)
            {
                Cell cell = Cells[i];
                cell.Round = null;
                if (answers is null)
                    continue;
                cell.Value = answers[0, i];
                cell.AnsweredAt = now;
            }
        }
    }
}
