using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin;

/// <summary>The functions of a sheet, for any host: values of services, by name, through one connection each.</summary>
/// <remarks>
/// <para>Any thread may call them. They never throw and never wait longer than <see cref="SheetOptions.Deadline"/> (those that are awaited hold nobody up, and may take <see cref="SheetOptions.PatientDeadline"/>): what is not to be had is #N/A, and
/// <see cref="Status"/> has the reason. A connection is made when a service is first asked for, and made anew by itself: when a daemon is back, whatever its
/// language, the next recalculation shows values. A service that nothing asks for is forgotten, with its connection, after <see cref="SheetOptions.StreamMemory"/>.</para>
/// <para><see cref="Dispose"/> leaves no thread and no connection behind, so that a host can unload what it loaded; a new object begins from nothing.</para>
/// </remarks>
/// <example><code>
/// using var functions = new SheetFunctions();
/// CellValue price = functions.Get("quotes", "EURUSD", "price");
/// </code></example>
public sealed class SheetFunctions : IDisposable
{
    private const int MostCells = 1 << 24; // a whole column of Excel, sixteen times

    private readonly SheetOptions _options;
    private readonly ConcurrentDictionary<string, SheetService> _services = new();
    private long _forgetAt;
    private bool _disposed;

    public SheetFunctions(SheetOptions? options = null) => _options = options ?? new SheetOptions();

    /// <summary>IPC.GET: one cell of a service's table.</summary>
    public CellValue Get(string service, string id, string field)
    {
        using Use use = Enter(service);
        if (use.Service is not { } found)
            return CellValue.NotAvailable;
        found.CountFunction();
        return Get(found, id ?? "", field ?? "");
    }

    /// <summary><see cref="Get"/> for hosts whose functions may answer later: no thread waits, and for no longer than <see cref="SheetOptions.PatientDeadline"/>. Cells that are
    /// asked for one after another, new ones too, share a request. The task never fails. It ends on a thread of the pool, and what continues it there must be short.</summary>
    public async Task<CellValue> GetAsync(string service, string id, string field)
    {
        using Use use = Enter(service);
        if (use.Service is not { } found)
            return CellValue.NotAvailable;
        found.CountFunction();
        if (_options.Batching)
            return await found.Batch.GetAsync(id ?? "", field ?? "").ConfigureAwait(false);
        return await found.Workers.Run(() => Single(found, id ?? "", field ?? "", UntilPatient())).ConfigureAwait(false);
    }

    /// <summary><see cref="Grid"/> without waiting, with <see cref="SheetOptions.PatientDeadline"/>. A service is asked for a few at a time. The task never fails.</summary>
    public Task<CellGrid> GridAsync(string service, IReadOnlyList<string> ids, IReadOnlyList<string> fields)
        => RunAsync(service, () => Grid(service, ids, fields, UntilPatient()));

    /// <summary><see cref="Calc"/> without waiting, with <see cref="SheetOptions.PatientDeadline"/>. A service is asked for a few at a time. The task never fails.</summary>
    public Task<CellGrid> CalcAsync(string service, string name, IReadOnlyList<CellGrid> arguments)
        => RunAsync(service, () => Calc(service, name, arguments, UntilPatient()));

    /// <summary><see cref="Functions"/> without waiting, with <see cref="SheetOptions.PatientDeadline"/>. The task never fails.</summary>
    public Task<CellGrid> FunctionsAsync(string service) => RunAsync(service, () => Functions(service, UntilPatient()));

    /// <summary>IPC.GRID: a row per id, a column per field, with one request.</summary>
    public CellGrid Grid(string service, IReadOnlyList<string> ids, IReadOnlyList<string> fields) => Grid(service, ids, fields, Until());

    private CellGrid Grid(string service, IReadOnlyList<string> ids, IReadOnlyList<string> fields, long until)
    {
        int rows = ids?.Count ?? 0, columns = fields?.Count ?? 0;
        using Use use = Enter(service);
        if ((long)rows * columns > MostCells || use.Service is not { } found)
            return CellGrid.Of(CellValue.NotAvailable);
        found.CountFunction();
        if (rows == 0 || columns == 0)
            return new CellGrid(rows, columns, Array.Empty<CellValue>());
        var request = new GridRequest();
        foreach (string id in ids!)
            request.Ids.Add(id ?? "");
        foreach (string field in fields!)
            request.Fields.Add(field ?? "");
        return found.Grid(request, until, isTable: true) ?? CellGrid.Filled(rows, columns, CellValue.NotAvailable);
    }

    /// <summary>IPC.CALC: a function of the service. A single value is a table of one cell, an argument that was left out one of none.</summary>
    public CellGrid Calc(string service, string name, IReadOnlyList<CellGrid> arguments) => Calc(service, name, arguments, Until());

    private CellGrid Calc(string service, string name, IReadOnlyList<CellGrid> arguments, long until)
    {
        using Use use = Enter(service);
        if (use.Service is not { } found)
            return CellGrid.Of(CellValue.NotAvailable);
        found.CountFunction();
        var request = new CalcRequest { Name = name ?? "" };
        foreach (CellGrid argument in arguments ?? Array.Empty<CellGrid>())
            request.Arguments.Add(argument is null ? new Cells() : CellPacking.Pack(argument));
        return found.Calc(request, until) ?? CellGrid.Of(CellValue.NotAvailable);
    }

    /// <summary>IPC.FUNCTIONS: what <see cref="Calc"/> can be asked for, a row per function: its name, its parameters, and what it does. One cell that says so when the daemon does
    /// not know such a question.</summary>
    public CellGrid Functions(string service) => Functions(service, Until());

    private CellGrid Functions(string service, long until)
    {
        using Use use = Enter(service);
        if (use.Service is not { } found)
            return CellGrid.Of(CellValue.NotAvailable);
        found.CountFunction();
        return found.Functions(until) ?? CellGrid.Of(CellValue.NotAvailable);
    }

    /// <summary>IPC.STREAM: the latest value of a cell that the daemon tells about by itself; at first the value that <see cref="Get"/> would give.</summary>
    public CellValue Stream(string service, string id, string field)
    {
        using Use use = Enter(service);
        if (use.Service is not { } found)
            return CellValue.NotAvailable;
        return found.Streams.Latest(id ?? "", field ?? "") ?? Get(found, id ?? "", field ?? "");
    }

    /// <summary>The values of <see cref="Stream"/> as they change, #N/A while there are none: for hosts that can be told (RTD).</summary>
    /// <remarks>On threads of the service's, one value at a time and in order. An observer neither waits nor disposes the functions. Disposing what Subscribe
    /// returns ends it; a value that is under way may still come.</remarks>
    public IObservable<CellValue> Observe(string service, string id, string field) => new ObservedCell(this, service, id ?? "", field ?? "");

    /// <summary>IPC.STATUS: "up: ..." with who serves, or "down: ..." with the reason; then what was asked, and what failed last.</summary>
    public CellValue Status(string service)
    {
        using Use use = Enter(service);
        if (use.Service is not { } found)
            return CellValue.Of("down: the add-in has been closed");
        DaemonStatus? daemon = found.Status(Until());
        string? failure = found.Failure(out TimeSpan ago);
        if (daemon is null)
            return CellValue.Of("down: " + failure);
        SheetCounters counters = found.Counters;
        string text = string.Format(
            CultureInfo.InvariantCulture,
            "up: {0} daemon, process {1}, table {2} x {3}; {4} functions in {5} requests of {6} cells",
            daemon.Language, daemon.ProcessId, daemon.Rows, daemon.Columns, counters.Functions, counters.Requests, counters.Cells);
        return CellValue.Of(failure is null ? text : string.Format(CultureInfo.InvariantCulture, "{0}; {1:0} s ago: {2}", text, ago.TotalSeconds, failure));
    }

    /// <summary>What was asked of a service so far.</summary>
    public SheetCounters Counters(string service)
    {
        using Use use = Enter(service);
        return use.Service?.Counters ?? default;
    }

    /// <summary>How many cells of a service are remembered, to be asked for together.</summary>
    public int Remembered(string service)
    {
        using Use use = Enter(service);
        return use.Service?.Batch.Count ?? 0;
    }

    /// <summary>How many services are known: those that were asked for lately, and those of streamed cells.</summary>
    public int Services => _services.Count;

    /// <summary>Ends every connection and thread before it returns. Functions that are called later give #N/A.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        Interlocked.MemoryBarrier(); // who is adding a service sees it, or we see the service
        foreach (SheetService service in _services.Values)
            service.Dispose();
    }

    internal IDisposable? Subscribe(string service, string id, string field, IObserver<CellValue> observer)
    {
        using Use use = Enter(service);
        return use.Service?.Streams.Subscribe(id, field, observer);
    }

    private async Task<CellGrid> RunAsync(string service, Func<CellGrid> ask)
    {
        using Use use = Enter(service);
        return use.Service is { } found ? await found.Workers.Run(ask).ConfigureAwait(false) : CellGrid.Of(CellValue.NotAvailable);
    }

    private CellValue Get(SheetService service, string id, string field)
    {
        if (_options.Batching)
            return service.Batch.Get(id, field, Until());
        return Single(service, id, field, Until());
    }

    private static CellValue Single(SheetService service, string id, string field, long until)
        => service.Grid(Requests.Of(new[] { new CellKey(id, field) }), until)?[0, 0] ?? CellValue.NotAvailable;

    private long Until() => Clock.Now + Clock.Ticks(_options.Deadline);

    private long UntilPatient() => Clock.Now + Clock.Ticks(_options.PatientDeadline);

    /// <summary>The service of that name, which is not forgotten while it is used; none after the end.</summary>
    private Use Enter(string? name)
    {
        ForgetSome();
        while (!Volatile.Read(ref _disposed))
        {
            if (!_services.TryGetValue(name ?? "", out SheetService? service))
                service = _services.GetOrAdd(name ?? "", key => new SheetService(key, _options));
            Interlocked.MemoryBarrier();
            if (Volatile.Read(ref _disposed))
            {
                service.Dispose();
                break;
            }
            if (service.TryEnter())
                return new Use(service);
            Remove(service); // forgotten: another one takes its place
        }
        return default;
    }

    /// <summary>Now and then: services that nobody has used for as long as streamed cells are remembered, mistyped names among them.</summary>
    private void ForgetSome()
    {
        long due = Volatile.Read(ref _forgetAt), now = Clock.Now;
        if (now < due || Interlocked.CompareExchange(ref _forgetAt, now + Clock.Ticks(_options.StreamMemory) / 4, due) != due)
            return;
        foreach (SheetService service in _services.Values)
        {
            if (!service.TryForget(now - Clock.Ticks(_options.StreamMemory)))
                continue;
            Remove(service);
            service.Dispose();
        }
    }

    private void Remove(SheetService service)
        => ((ICollection<KeyValuePair<string, SheetService>>)_services).Remove(new KeyValuePair<string, SheetService>(service.Name, service));

    private readonly struct Use : IDisposable
    {
        public Use(SheetService service) => Service = service;

        public SheetService? Service { get; }

        public void Dispose() => Service?.Leave();
    }
}
