using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>
/// What no test can have: a thousand machines, a hundred thousand services. Time passes from event to event here; the library's own rule says who tries when
/// (<see cref="Attempts"/>), and a broker takes as long as it was measured to take. The guide quotes what comes of it.
/// </summary>
public sealed class SimulationTests
{
    // What BrokerCosts measured: RabbitMQ 3.10, two cores.
    private const double Handshake = 0.0015, Opening = 0.006, Abandoned = 0.0006, Delivery = 16e-6, Call = 150e-6;
    private const double Hour = 3600;

    private static readonly ConcurrentDictionary<(int Connections, bool Grows, int Seed, double Until), Lazy<Storm>> s_storms = new(); // more than one test looks at some

    /// <summary>One server, arrivals at random, equal work: the mean wait is known (Pollaczek and Khinchine).</summary>
    [Theory]
    [InlineData(0.5)]
    [InlineData(0.8)]
    [InlineData(0.9)]
    public void ItAgreesWithWhatCanBeCalculated(double load)
    {
        const double work = 0.001;
        double mean = Deliveries.Run(1, load / work, 1, work, 400_000).Average() - work;
        double right = load * work / (2 * (1 - load));
        Assert.InRange(mean / right, 0.95, 1.05);
    }

    [Fact]
    public void OneSeedGivesOneRun()
    {
        Storm[] storms = [.. new[] { 7, 7, 8 }.Select(static seed => new Returning(seed, nodes: 2, Handshake, Opening, Abandoned, grows: true).Run(5_000, Hour))];
        Assert.Equal(storms[0], storms[1]);
        Assert.NotEqual(storms[0], storms[2]);
    }

    /// <summary>A node of three dies, and a third of all connections come back to the two others.</summary>
    [Theory]
    [InlineData(2_000)]
    [InlineData(10_000)]
    [InlineData(33_000)]
    [InlineData(50_000)]
    public void EverybodyComesBack(int connections)
    {
        double atLeast = connections * Opening / 2;
        for (int seed = 1; seed <= (connections > 10_000 ? 1 : 5); seed++)
        {
            Storm storm = Comes(connections, grows: true, seed);
            Assert.Equal(connections, storm.Back);
            Assert.True(storm.Took < 5 * atLeast, $"{storm} where {atLeast} s are the least");
        }
    }

    /// <summary>What it is there for: with attempts that all wait for ten seconds the nodes are busy with those who have given up.</summary>
    [Fact]
    public void WithoutItNobodyComesBack()
    {
        Storm storm = Comes(10_000, grows: false, until: 600);
        Assert.Equal(0, storm.Back);
    }

    [Fact]
    public void TheGuideQuotesIt()
    {
        string path = Path.Combine(PeerPrograms.Top, "docs", "guide", "many-machines.md");
        string text = File.ReadAllText(path);
        const string begin = "<!-- simulation -->\n", end = "<!-- simulation:end -->";
        int from = text.IndexOf(begin, StringComparison.Ordinal) + begin.Length, to = text.IndexOf(end, StringComparison.Ordinal);
        string said = Table();
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_SIMULATION") == "1")
            File.WriteAllText(path, text[..from] + said + text[to..]);
        else
            Assert.Equal(said, text[from..to]);
    }

    private static Storm Comes(int connections, bool grows, int seed = 1, double until = Hour) =>
        s_storms.GetOrAdd((connections, grows, seed, until), static key => new Lazy<Storm>(() => new Returning(key.Seed, nodes: 2, Handshake, Opening, Abandoned, key.Grows).Run(key.Connections, key.Until))).Value;

    private static string Table()
    {
        StringBuilder text = new("| connections that come back to two nodes | all are back after | half of them after | attempts for each | the least that is possible |\n|---|---|---|---|---|\n");
        foreach (int connections in new[] { 1_000, 10_000, 33_000, 50_000, 100_000 })
        {
            bool isMany = connections > 50_000;
            Storm storm = isMany ? new Returning(1, nodes: 2, Handshake, Opening, Abandoned, grows: true, TimeSpan.FromSeconds(30)).Run(connections, Hour) : Comes(connections, grows: true);
            Assert.Equal(connections, storm.Back);
            text.Append(Row(Number(connections) + (isMany ? ", `ConnectTimeout` 30 s" : ""), Seconds(storm.Took), Seconds(storm.HalfTook), Number((double)storm.Attempts / connections), Seconds(connections * Opening / 2)));
        }

        text.Append("\n| load of one node | calls in a second | wait of a call, mean | of one in a hundred | topics to 1,000 machines: messages in a second | the last machine has it after, one in a hundred |\n|---|---|---|---|---|---|\n");
        foreach (double load in new[] { 0.5, 0.8, 0.9, 0.95 })
        {
            List<double> calls = Deliveries.Run(1, load / Call, 1, Call, 200_000), copies = Deliveries.Run(1, load / (1000 * Delivery), 1000, Delivery, 200_000);
            text.Append(Row((load * 100).ToString("0", CultureInfo.InvariantCulture) + " %", Number(load / Call), Micro(calls.Average() - Call), Micro(Worst(calls) - Call), Number(load / (1000 * Delivery)), Seconds(Worst(copies))));
        }

        text.Append("\n| load of 10 servers | of which are away for a minute | wait at most | nobody waits after | the longest wait |\n|---|---|---|---|---|\n");
        foreach ((double load, int dying) in new[] { (0.5, 5), (0.5, 10), (0.8, 5), (0.8, 10), (0.9, 5), (0.95, 5) })
        {
            Growth growth = BacklogTests.Dies(load, dying, 60);
            Assert.True(double.IsFinite(growth.Drained), growth.ToString());
            text.Append(Row((load * 100).ToString("0", CultureInfo.InvariantCulture) + " %", dying.ToString(CultureInfo.InvariantCulture), growth.Longest.ToString("N0", CultureInfo.InvariantCulture), Seconds(growth.Drained), Seconds(growth.LongestWait)));
        }

        return text.ToString();
    }

    private static double Worst(List<double> ordered) => ordered[ordered.Count * 99 / 100];

    private static string Row(params string[] cells) => "| " + string.Join(" | ", cells) + " |\n";

    private static string Number(double number) => number.ToString(number < 100 ? "0.0" : "N0", CultureInfo.InvariantCulture);

    private static string Seconds(double seconds) => seconds.ToString(seconds < 10 ? "0.00" : "N0", CultureInfo.InvariantCulture) + " s";

    private static string Micro(double seconds) => (seconds * 1e6).ToString("N0", CultureInfo.InvariantCulture) + " us";
}
