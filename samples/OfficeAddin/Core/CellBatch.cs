using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin;

// A host that calls functions one after another, each to its end, never has two questions under way; but it asks the same questions in every
// recalculation, and in nearly the same order. So:
//
// - Who asks for a cell that was asked for before asks for those, too, that have not been asked for since then, the longest unasked first: in the next
//   recalculation these are the cells that follow. At most BatchCells of them, so that what is fetched is used while it is fresh.
// - Who asks for a cell whose answer is no older than Freshness gets that. Nothing else is ever handed out twice.
// - Threads that ask at the same time (multi-threaded recalculation) need no memory: while one request is under way the others' cells gather, and the first
//   of them takes all along in the next request.
// - Who asks without waiting (GetAsync) needs none of this: one thread of the pool asks for what has gathered, again and again until nothing has. Ten thousand
//   new cells are a handful of requests.
// - A cell that was fetched on suspicion and not asked for, three times in a row, is forgotten: it has left the sheet.
// - Ids may be made of the time, or at random: such a cell is asked for once, and fetched on no suspicion, because only known cells raise any. So when a new cell
//   comes and there are many, two go that nothing has asked for in StreamMemory.
//
// A recalculation is over when a cell of it is asked for again after its answer has gone stale. That is a guess (a sheet may ask for a cell twice), and only
// decides what is fetched on suspicion.

/// <summary>Answers the cells of a service one by one and asks for them many at a time.</summary>
internal sealed class CellBatch
{
    private const int Suspicions = 3;
    private const int RequestsRemembered = 4;
    private const int ForgottenForANewOne = 2;

    private readonly SheetService _service;
    private readonly long _freshness;
    private readonly Func<long> _now;
    private readonly long _patience;
    private readonly long _memory;
    private readonly int _most;
    private readonly IUserBreak? _user;
    private readonly object _gate = new();
    private readonly Dictionary<CellKey, Cell> _cells = new();
    private readonly LinkedList<Cell> _unasked = new(); // the longest unasked first
    private Round _next = new();
    private bool _asking;
    private bool _isServed; // a thread of the pool asks, or is about to
    private int _recalculation = 1;

    public CellBatch(SheetService service, SheetOptions options)
    {
        _service = service;
        _freshness = Clock.Ticks(options.Freshness);
        _patience = Clock.Ticks(options.PatientDeadline);
        _memory = Clock.Ticks(options.StreamMemory);
        _now = options.Now;
        _most = options.BatchCells;
        _user = options.Break;
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
            if (TryAnswer(new CellKey(id, field), out cell, out CellValue present))
                return present;
            round = cell.Round ?? _next.Add(cell);
        }
        while (true)
        {
            Round? mine = null;
            lock (_gate)
            {
                if (_asking && !round.IsOver)
                {
                    TimeSpan left = Clock.Until(until);
                    if (left <= TimeSpan.Zero)
                        return CellValue.NotAvailable; // who leads the request says why
                    Monitor.Wait(_gate, left < UserBreaks.Interval ? left : UserBreaks.Interval);
                }
                if (round.IsOver)
                    return round.HasAnswers ? cell.Value : CellValue.NotAvailable;
                if (!_asking)
                    mine = Begin(); // which is round: every other one is over or under way
            }
            if (mine is not null)
                Ask(mine, until);
            else if (UserBreaks.HasCome(_user)) // without the gate: it may take its time
                return CellValue.NotAvailable;
        }
    }

    /// <summary>The same without waiting. The task ends on a thread of the pool, or has ended; what continues it must be short.</summary>
    public Task<CellValue> GetAsync(string id, string field)
    {
        TaskCompletionSource<CellValue> waiting;
        bool begins;
        lock (_gate)
        {
            if (TryAnswer(new CellKey(id, field), out Cell cell, out CellValue present))
                return Task.FromResult(present);
            waiting = new TaskCompletionSource<CellValue>();
            (cell.Round ?? _next.Add(cell)).Waiting.Add((cell, waiting));
            begins = !_isServed;
            _isServed = true;
        }
        if (begins)
            ThreadPool.QueueUserWorkItem(static batch => ((CellBatch)batch!).Serve(), this);
        return waiting.Task;
    }

    /// <summary>On a thread of the pool, until nobody waits any more who has not a thread of his own.</summary>
    private void Serve()
    {
        while (true)
        {
            Round mine;
            lock (_gate)
            {
                while (_asking) // for no longer than that one's deadline
                    Monitor.Wait(_gate);
                _isServed = _next.Waiting.Count != 0;
                if (!_isServed)
                    return;
                mine = Begin();
            }
            Ask(mine, until: null);
        }
    }

    /// <summary>What has gathered, to be asked for by the caller. Under the gate.</summary>
    private Round Begin()
    {
        Round mine = _next;
        _next = new Round();
        _asking = true;
        AddExpected(mine);
        return mine;
    }

    /// <summary>Whether there is no need to ask. Under the gate.</summary>
    private bool TryAnswer(CellKey key, out Cell cell, out CellValue value)
    {
        long now = _now();
        cell = Asked(key, now);
        bool repeated = cell.Recalculation == _recalculation;
        bool fresh = IsFresh(cell, now);
        if (repeated && !fresh)
            _recalculation++;
        cell.Recalculation = _recalculation;
        value = fresh ? cell.Value : CellValue.NotAvailable;
        return fresh || _service.IsPausing;
    }

    private bool IsFresh(Cell cell, long now) => cell.AnsweredAt != 0 && now - cell.AnsweredAt < _freshness && _service.IsConnected;

    private Cell Asked(CellKey key, long now)
    {
        if (_cells.TryGetValue(key, out Cell? cell))
        {
            _unasked.Remove(cell.Node);
        }
        else
        {
            ForgetOld(now);
            _cells.Add(key, cell = new Cell(key));
        }
        _unasked.AddLast(cell.Node);
        cell.AskedAt = now;
        cell.Suspicions = 0;
        return cell;
    }

    private void ForgetOld(long now)
    {
        for (int i = 0; i < ForgottenForANewOne && _cells.Count >= (long)_most * RequestsRemembered; i++)
        {
            if (_unasked.First is not { Value: { Round: null } oldest } || now - oldest.AskedAt <= _memory)
                return;
            Forget(oldest);
        }
    }

    private void Forget(Cell cell)
    {
        _unasked.Remove(cell.Node);
        _cells.Remove(cell.Key);
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
                Forget(cell);
            else
                round.Add(cell);
        }
    }

    /// <param name="round">What to ask for.</param>
    /// <param name="until">When it is too late for a caller that waits; <see langword="null"/> when none does: each request has time then.</param>
    private void Ask(Round round, long? until)
    {
        CellValue[]? answers = null;
        try
        {
            answers = Answers(round.Cells, until);
        }
        finally
        {
            lock (_gate)
            {
                round.End(answers, _now());
                _asking = false;
                Monitor.PulseAll(_gate);
            }
            foreach ((Cell cell, TaskCompletionSource<CellValue> waiting) in round.Waiting) // which nobody adds to any more
                waiting.TrySetResult(answers is null ? CellValue.NotAvailable : cell.Value);
        }
    }

    /// <summary>As many requests as it takes; null when one of them has failed.</summary>
    private CellValue[]? Answers(List<Cell> cells, long? until)
    {
        var answers = new CellValue[cells.Count];
        for (int from = 0; from < answers.Length; from += _most)
        {
            var keys = new CellKey[Math.Min(_most, answers.Length - from)];
            for (int i = 0; i < keys.Length; i++)
                keys[i] = cells[from + i].Key;
            if (_service.Grid(Requests.Of(keys), until ?? (Clock.Now + _patience)) is not { } part)
                return null;
            part.RowMajor.CopyTo(answers.AsSpan(from));
        }
        return answers;
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

        public long AskedAt { get; set; }

        public long AnsweredAt { get; set; } // 0: never

        public int Recalculation { get; set; } // in which it was last asked for

        public int Suspicions { get; set; } // how often it was fetched since then

        public Round? Round { get; set; } // in which it is being fetched
    }

    /// <summary>What one request asks for. Under the gate, but for the list of cells, which stands still from the request on.</summary>
    private sealed class Round
    {
        public List<Cell> Cells { get; } = new();

        /// <summary>Those who have no thread that waits; while the round is not over, under the gate.</summary>
        public List<(Cell Cell, TaskCompletionSource<CellValue> Answer)> Waiting { get; } = new();

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

        public void End(CellValue[]? answers, long now)
        {
            IsOver = true;
            HasAnswers = answers is not null;
            for (int i = 0; i < Cells.Count; i++)
            {
                Cell cell = Cells[i];
                cell.Round = null;
                if (answers is null)
                    continue;
                cell.Value = answers[i];
                cell.AnsweredAt = now;
            }
        }
    }
}
