using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Sysmon;

/// <summary>What the demo shows: tables, a stream, round trips, and what a client sees when its daemon is killed and comes back.</summary>
internal sealed class Tour(RpcClient client, Options options)
{
    private const int RoundTrips = 20_000;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(15);
    private readonly ISystemMonitor _monitor = SystemMonitorRpc.Client(client);
    private readonly string[] _fields = ["load", "available", "received_bytes", "name", "resident"];

    /// <summary>Everything in one line, for the matrix of clients and daemons.</summary>
    public async Task Pair()
    {
        IReadOnlyList<string> listed = _monitor.List(Kind.All);
        TableRequest request = SmallRequest();
        Check(request, _monitor.Get(request));
        Check(request, await _monitor.GetAsync(request));
        int samples = 0;
        await foreach (Sample sample in _monitor.Watch(Watching(request, 20, 3)))
        {
            Check(request, sample.Table!);
            if (sample.Sequence != ++samples)
                throw new InvalidDataException($"sample {sample.Sequence} came as number {samples}");
        }
        if (samples != 3)
            throw new InvalidDataException($"asked for 3 samples, got {samples}");
        Distribution ours = Distribution.Of(4000, () => Check(request, _monitor.Get(request)));
        string line = FormattableString.Invariant(
            $"List {listed.Count} ids, Get {request.Ids.Count} x {request.Fields.Count}, Watch {samples} samples; round trip p50 {ours.P50:0.0} us, p99 {ours.P99:0.0} us");
        if (options.SocketPath is not null)
        {
            using var rival = new SocketClient(options.SocketPath);
            Distribution theirs = Distribution.Of(4000, () => Check(request, rival.Get(request)));
            line += FormattableString.Invariant($" (Unix socket {theirs.P50:0.0}, {theirs.P99:0.0})");
        }
        Console.WriteLine(line);
    }

    public async Task Tables()
    {
        TableRequest request = LargeRequest();
        Screen.Heading($"Get({request.Ids.Count} ids, {request.Fields.Count} fields), a synchronous call");
        Table table = _monitor.Get(request);
        Check(request, table);
        Screen.Show(request.Fields, table);

        Screen.Heading("GetAsync, 100 calls at once");
        Table[] tables = await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => _monitor.GetAsync(request)));
        foreach (Table each in tables)
            Check(request, each);
        Console.WriteLine($"   {tables.Length} tables of {request.Ids.Count} x {request.Fields.Count}");
    }

    public async Task Samples(int count)
    {
        Screen.Heading("Watch, a server stream");
        await Screen.Follow(_fields, _monitor.Watch(Watching(LargeRequest(), 300, count)));
    }

    public async Task RoundTripTimes()
    {
        TableRequest request = SmallRequest();
        Screen.Heading($"Round trips of Get({request.Ids.Count} ids, {request.Fields.Count} fields), microseconds, {RoundTrips} each");
        var rows = new List<IReadOnlyList<string>>
        {
            Row("Ipc, synchronous", Distribution.Of(RoundTrips, () => Check(request, _monitor.Get(request)))),
            Row("Ipc, asynchronous", await Distribution.OfAsync(RoundTrips, async () => Check(request, await _monitor.GetAsync(request)))),
        };
        if (options.SocketPath is not null)
        {
            using var rival = new SocketClient(options.SocketPath);
            rows.Add(Row("Unix socket, same bytes", Distribution.Of(RoundTrips, () => Check(request, rival.Get(request)))));
        }
        Screen.Show(["", "p50", "p90", "p99", "max"], rows);

        static IReadOnlyList<string> Row(string name, Distribution times) =>
            [name, Text(times.P50), Text(times.P90), Text(times.P99), Text(times.Max)];
        static string Text(double microseconds) => microseconds.ToString("0.0", CultureInfo.InvariantCulture);
    }

    /// <summary>Kills the daemon under a pending stream, shows what the client sees, and waits for somebody to start it again.</summary>
    public async Task Outage()
    {
        Screen.Heading($"kill -9 {options.KillProcess}, the daemon, while a stream is pending");
        await using IAsyncEnumerator<Sample> pending = _monitor.Watch(Watching(SmallRequest(), 60_000, 0)).GetAsyncEnumerator();
        await pending.MoveNextAsync(); // the first sample is here, the next one is due in a minute
        ValueTask<bool> next = pending.MoveNextAsync();
        using (Process daemon = Process.GetProcessById(options.KillProcess))
        {
            long killed = Stopwatch.GetTimestamp();
            daemon.Kill();
            RpcCallException seen = await Failure(async () => await next.AsTask().WaitAsync(s_patience));
            TimeSpan took = Stopwatch.GetElapsedTime(killed);
            Console.WriteLine(FormattableString.Invariant(
                $"   the stream ended {took.TotalMilliseconds:0.0} ms after the kill: RpcCallException {seen.Status}: {seen.Message}"));
        }

        long began = Stopwatch.GetTimestamp();
        for (int attempts = 1; ; attempts++)
        {
            try
            {
                Check(SmallRequest(), _monitor.Get(SmallRequest()));
                Console.WriteLine($"   the daemon is back as process {client.ServerProcessId}; the same client works again ({attempts - 1} calls failed meanwhile)");
                return;
            }
            catch (RpcCallException failure) when (failure.Status == RpcStatus.Unavailable && Stopwatch.GetElapsedTime(began) < s_patience)
            {
                if (attempts == 1)
                    Console.WriteLine($"   the next call: RpcCallException {failure.Status}: {failure.Message}");
                await Task.Delay(20);
            }
        }
    }

    private static async Task<RpcCallException> Failure(Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (RpcCallException expected) when (expected.Status == RpcStatus.Unavailable)
        {
            return expected;
        }
        throw new InvalidOperationException("the daemon was killed, and the stream went on");
    }

    private static void Check(TableRequest request, Table table)
    {
        if (table.Rows.Count != request.Ids.Count)
            throw new InvalidDataException($"asked for {request.Ids.Count} rows, got {table.Rows.Count}");
        for (int i = 0; i < table.Rows.Count; i++)
        {
            if (table.Rows[i].Id != request.Ids[i] || table.Rows[i].Cells.Count != request.Fields.Count)
                throw new InvalidDataException($"row {i} is not what was asked for");
        }
    }

    private static TableRequest SmallRequest() => new() { Ids = ["cpu", "mem", "net:lo"], Fields = ["load", "available", "received_bytes"] };

    private TableRequest LargeRequest() => new()
    {
        Ids = [.. _monitor.List(Kind.Processor), "mem", .. _monitor.List(Kind.Network), "pid:" + client.ServerProcessId, "pid:" + Environment.ProcessId],
        Fields = [.. _fields],
    };

    private static WatchRequest Watching(TableRequest request, int intervalMs, int count) =>
        new() { Ids = request.Ids, Fields = request.Fields, IntervalMs = intervalMs, Count = count };
}
