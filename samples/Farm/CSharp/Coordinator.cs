using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Spectre.Console;

namespace Farm;

/// <summary>Cuts the work into pieces, has them done by whatever workers there are, and shows who does what. It knows no worker, and notices none that goes.</summary>
internal sealed class Coordinator(string address, long limit)
{
    private const int Pieces = 200;
    private const int UnderWay = 16;

    // how many there are below a power of ten is known
    private static readonly Dictionary<long, long> s_known = new()
    {
        [100_000] = 9_592,
        [1_000_000] = 78_498,
        [10_000_000] = 664_579,
        [100_000_000] = 5_761_455,
        [1_000_000_000] = 50_847_534,
    };

    private readonly SortedDictionary<string, int> _byWorker = new(StringComparer.Ordinal);
    private readonly object _gate = new();
    private long _began;
    private long _primes;
    private int _done;
    private int _cameAgain;

    /// <returns>0 when the sum is right.</returns>
    public async Task<int> RunAsync()
    {
        // <client>
        await using RabbitMqClient client = RabbitMqClient.Create(address, new RabbitMqClientOptions
        {
            WaitForReady = true, // workers come and go, and there may be none for a while
            Retry = new RpcRetryPolicy { Attempts = 10 },
            CallTimeout = TimeSpan.FromMinutes(5),
        });
        IPrimes farm = client.For<IPrimes>();
        // </client>
        await client.EnsureConnectedAsync(TimeSpan.FromMinutes(2)); // the broker may still be starting
        _began = Stopwatch.GetTimestamp();
        if (AnsiConsole.Profile.Capabilities.Interactive && !Console.IsOutputRedirected)
            await AnsiConsole.Live(Screen()).StartAsync(async screen => await CountAsync(farm, () => screen.UpdateTarget(Screen())));
        else
            await CountAsync(farm, static () => { });
        AnsiConsole.Write(Screen());
        return Judge();
    }

    private async Task CountAsync(IPrimes farm, Action show)
    {
        ParallelOptions options = new() { MaxDegreeOfParallelism = UnderWay };
        await Parallel.ForEachAsync(Enumerable.Range(0, Pieces), options, async (piece, cancellationToken) =>
        {
            Piece counted = await farm.CountAsync(limit * piece / Pieces, limit * (piece + 1) / Pieces, cancellationToken);
            lock (_gate)
            {
                _primes += counted.Primes;
                _done++;
                _cameAgain += counted.CameAgain ? 1 : 0;
                _byWorker[counted.Worker] = _byWorker.GetValueOrDefault(counted.Worker) + 1;
                show();
            }
        });
    }

    private Table Screen()
    {
        Table table = new Table().Border(TableBorder.Simple).AddColumn("worker").AddColumn(new TableColumn("pieces").RightAligned()).AddColumn("");
        foreach ((string worker, int pieces) in _byWorker)
            table.AddRow(Markup.Escape(worker), Text(pieces), new string('■', Math.Min(pieces, 40)));
        string seconds = Stopwatch.GetElapsedTime(_began).TotalSeconds.ToString("0.0", CultureInfo.InvariantCulture);
        return table.Caption($"{Text(_done)} of {Text(Pieces)} pieces, {seconds} s", Style.Plain);
    }

    private int Judge()
    {
        bool isKnown = s_known.TryGetValue(limit, out long right);
        bool isRight = _done == Pieces && (!isKnown || _primes == right);
        string verdict = !isKnown ? "nobody has told this program how many there are" : isRight ? "right" : "WRONG: it is " + Text(right);
        Console.WriteLine($"{Text(_primes)} primes below {Text(limit)} ({verdict}), {_byWorker.Count} workers, {_cameAgain} pieces that a killed one had begun");
        return isRight ? 0 : 1;
    }

    private static string Text(long number) => number.ToString("N0", CultureInfo.InvariantCulture);
}
