using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Threading;
using Ipc.Rpc;

namespace OfficeAddin;

// What a host must never see: an exception, or a wait that is longer than the deadline, a thousand times over. So all questions go through Ask, which knows
// whether there is any use in asking. A daemon that is not there is found out by opening a file, and is asked for again soon; one that has used up the
// deadline without an answer would use it up for every cell of the sheet, and is left alone for a while. A function or a table that is slow says little about its
// daemon: only that one is left alone, and the next question begins by asking the daemon who it is. One that cannot even say that hangs.
//
// All that the contract has are questions, so one whose daemon died under it may be asked again, once: the successor may be there already.

/// <summary>One service as the functions of a sheet see it: its connection, what it failed at lately, and its counts.</summary>
internal sealed class SheetService : IDisposable
{
    private const long Entry = 1L << 32;
    private const int MostFunctions = 1 << 20; // the rows of a sheet
    private readonly SheetOptions _options;
    private readonly RpcClient _client;
    private readonly ISheet _sheet; // with the whole deadline
    private readonly ISheet _patientSheet; // with the other one
    private readonly object _gate = new();
    private readonly Dictionary<string, long> _slow = new(); // under _gate: functions and tables, until when
    private string? _failure;                                         // under _gate: the last one
    private long _failedAt;                                           // under _gate
    private long _pausesUntil;
    private bool _isDoubted; // something was slow, and nothing was answered since then
    private long _use;       // how many use it, and in the upper half how many have begun to; -1: it is closed
    private long _usedAt;
    private long _functions, _requests, _cells, _failures;

    public SheetService(string name, SheetOptions options)
    {
        Name = name;
        _options = options;
        _client = RpcClient.Create(name, new RpcClientOptions { ConnectTimeout = options.Deadline, CallTimeout = options.Deadline });
        _sheet = SheetRpc.Client(_client);
        _patientSheet = SheetRpc.Client(_client.WithTimeout(options.PatientDeadline));
        Workers = new Workers("sheet " + name);
        Batch = new CellBatch(this, options);
        Streams = new CellStreams(this, options);
    }

    public string Name { get; }

    public Workers Workers { get; }

    public CellBatch Batch { get; }

    public CellStreams Streams { get; }

    /// <summary>Whether there is a connection that is not known to be over.</summary>
    public bool IsConnected => _client.IsConnected;

    /// <summary>Whether there is no use in asking now.</summary>
    public bool IsPausing => Volatile.Read(ref _pausesUntil) > Clock.Now;

    public SheetCounters Counters =>
        new(Volatile.Read(ref _functions), Volatile.Read(ref _requests), Volatile.Read(ref _cells), Volatile.Read(ref _failures));

    /// <summary>Begins to use it; false: it has been forgotten. Pair with <see cref="Leave"/>.</summary>
    public bool TryEnter()
    {
        for (long use = Volatile.Read(ref _use); use >= 0;)
        {
            long seen = Interlocked.CompareExchange(ref _use, unchecked(use + Entry + 1) & long.MaxValue, use);
            if (seen == use)
            {
                Volatile.Write(ref _usedAt, Clock.Now);
                return true;
            }
            use = seen;
        }
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _use);

    /// <summary>Closes it if nobody has used it since then and no cell of it is streamed. Who begins to use it meanwhile is counted, so that it stays.</summary>
    public bool TryForget(long before)
    {
        long use = Volatile.Read(ref _use);
        return use >= 0 && (use & (Entry - 1)) == 0 && Volatile.Read(ref _usedAt) < before && Streams.IsEmpty && Interlocked.CompareExchange(ref _use, -1, use) == use;
    }

    public void CountFunction() => Interlocked.Increment(ref _functions);

    /// <summary>The cells of a request, or null; then <see cref="Failure"/> says why.</summary>
    /// <param name="request">What is asked for.</param>
    /// <param name="until">When it is too late.</param>
    /// <param name="isTable">It is a question of its own, which may be slow without its daemon being so.</param>
    public CellGrid? Grid(GridRequest request, long until, bool isTable = false)
    {
        string? table = isTable ? NameOf(request) : null;
        if (IsSlow(table))
            return null;
        int rows = request.Picks.Count != 0 ? 1 : request.Ids.Count;
        int columns = request.Picks.Count != 0 ? request.Picks.Count : request.Fields.Count;
        return Ask(
            (sheet, _) =>
            {
                CellGrid grid = CellPacking.Unpack(sheet.Grid(request));
                return grid.Rows == rows && grid.Columns == columns
                    ? grid
                    : throw new InvalidDataException($"the daemon sent {grid.Rows} x {grid.Columns} cells in place of {rows} x {columns}");
            },
            rows * columns,
            until,
            table);
    }

    /// <summary>The result of a function, or null.</summary>
    public CellGrid? Calc(CalcRequest request, long until)
    {
        string function = "=" + request.Name;
        return IsSlow(function) ? null : Ask((sheet, end) => CellPacking.Unpack(sheet.Calc(request, end)), 1, until, function);
    }

    /// <summary>A row per function: its name, its parameters, and what it does. One cell with the reason when the daemon is there and lists none; null when it is not.</summary>
    public CellGrid? Functions(long until)
    {
        const string List = "functions"; // no question about a table or a function is called so
        return IsSlow(List) ? null : Ask(static (sheet, _) => ListedBy(sheet), 0, until, List);
    }

    /// <summary>Who serves; null if nobody does.</summary>
    public DaemonStatus? Status(long until) => Ask(static (sheet, _) => sheet.Status(), 0, until);

    /// <summary>The last failure and how long ago it was; null if there was none.</summary>
    public string? Failure(out TimeSpan ago)
    {
        lock (_gate)
        {
            ago = -Clock.Until(_failedAt);
            return _failure;
        }
    }

    /// <summary>The contract, for streams: those have no limit in time.</summary>
    public ISheet Sheet => _sheet;

    /// <summary>Something brought no value: the reason is for IPC.STATUS.</summary>
    public void Failed(string reason)
    {
        Interlocked.Increment(ref _failures);
        lock (_gate)
        {
            _failure = reason;
            _failedAt = Clock.Now;
        }
    }

    public void Dispose()
    {
        Streams.Dispose();
        _client.Dispose(); // ends what is under way
    }

    /// <summary>A few words for whatever went wrong.</summary>
    public static string ReasonOf(Exception error) => error switch
    {
        RpcCallException { Status: RpcStatus.Unimplemented } => $"the daemon does not speak {SheetRpc.ServiceName}: {error.Message}",
        RpcCallException or InvalidDataException or UserBreakException => error.Message,
        ObjectDisposedException => "the add-in has been closed",
        _ => $"{error.GetType().Name}: {error.Message}",
    };

    private static CellGrid ListedBy(ISheet sheet)
    {
        List<DaemonFunction> functions;
        try
        {
            functions = sheet.Functions().Functions;
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unimplemented)
        {
            return CellGrid.Of(CellValue.Of("The daemon does not list its functions: it was made before it could be asked for them.")); // an answer: it is there
        }

        if (functions.Count > MostFunctions)
            throw new InvalidDataException($"the daemon lists {functions.Count} functions, more than the {MostFunctions} rows of a sheet");
        if (functions.Count == 0)
            return CellGrid.Of(CellValue.Of("The daemon has no functions."));
        var cells = new List<CellValue>();
        foreach (DaemonFunction function in functions)
            cells.AddRange([CellValue.Of(function.Name), CellValue.Of(function.Parameters), CellValue.Of(function.Help)]);
        return new CellGrid(functions.Count, cells.Count / functions.Count, cells.ToArray());
    }

    private T? Ask<T>(Func<ISheet, CancellationToken, T> ask, int cells, long until, string? slow = null)
        where T : class
    {
        if (IsPausing)
            return null;
        if (Volatile.Read(ref _isDoubted))
        {
            Volatile.Write(ref _isDoubted, false);
            if (Status(until) is null) // which pauses
                return null;
        }
        for (bool again = false; ; again = true)
        {
            bool wasConnected = _client.IsConnected;
            Interlocked.Increment(ref _requests);
            Interlocked.Add(ref _cells, cells);
            try
            {
                T answer = UserBreaks.Run(_options.Break, end => ask(SheetUntil(until), end));
                if (Volatile.Read(ref _pausesUntil) != 0)
                    Volatile.Write(ref _pausesUntil, 0);
                return answer;
            }
            catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable && wasConnected && !again && Clock.Now < until)
            {
                Failed(ReasonOf(e));
            }
            catch (UserBreakException e)
            {
                Failed(ReasonOf(e)); // which says nothing about the daemon
                return null;
            }
#pragma warning disable CA1031 // nothing may reach the host: it would end with us, and with the user's work
            catch (Exception e)
#pragma warning restore CA1031
            {
                Failed(ReasonOf(e));
                Pause(IsMostlyOver(Clock.Until(until)) || e is RpcCallException { Status: RpcStatus.DeadlineExceeded }, slow);
                return null;
            }
        }
    }

    private ISheet SheetUntil(long until)
    {
        TimeSpan left = Clock.Until(until);
        if (IsNearly(left, _options.Deadline)) // both ready-made, for nearly every function
            return _sheet;
        if (IsNearly(left, _options.PatientDeadline))
            return _patientSheet;
        return SheetRpc.Client(_client.WithTimeout(left > TimeSpan.Zero ? left : TimeSpan.Zero));
    }

    private static bool IsNearly(TimeSpan left, TimeSpan whole) => left <= whole && left > TimeSpan.FromTicks(whole.Ticks / 10 * 9);

    // Not "over": a connect that is given what is left of the deadline gives up a little before its end, because timers count whole milliseconds.
    private bool IsMostlyOver(TimeSpan left) => left < TimeSpan.FromTicks(_options.Deadline.Ticks / 10);

    private bool IsSlow(string? question)
    {
        lock (_gate)
            return question is not null && _slow.TryGetValue(question, out long until) && until > Clock.Now;
    }

    /// <summary>The same for the same table: its size and a hash of its ids and fields. Two of the same name would be left alone together, and no worse.</summary>
    private static string NameOf(GridRequest request)
    {
        ulong hash = 14695981039346656037;
        foreach (List<string> texts in new[] { request.Ids, request.Fields })
        {
            foreach (string text in texts)
            {
                foreach (char character in text)
                    hash = unchecked((hash ^ character) * 1099511628211);
                hash = unchecked((hash ^ 0x10000) * 1099511628211);
            }
        }
        return string.Format(CultureInfo.InvariantCulture, "{0} x {1} {2:x}", request.Ids.Count, request.Fields.Count, hash);
    }

    private void Pause(bool tookLong, string? slow)
    {
        if (tookLong && slow is not null)
        {
            lock (_gate)
            {
                foreach (KeyValuePair<string, long> other in new List<KeyValuePair<string, long>>(_slow))
                {
                    if (other.Value <= Clock.Now)
                        _slow.Remove(other.Key);
                }
                _slow[slow] = Clock.Now + Clock.Ticks(_options.SlowPause);
            }
            Volatile.Write(ref _isDoubted, true);
        }
        else if (slow is null || !_client.IsConnected)
        {
            Volatile.Write(ref _pausesUntil, Clock.Now + Clock.Ticks(tookLong ? _options.SlowPause : _options.AbsentPause));
        }
    }
}
