using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Portfolio;

/// <summary>The client's side: uses every shape once and checks what comes.</summary>
internal static class Client
{
    public static async Task Run(string server)
    {
        // snippet: client
        Alerts alerts = new();
        RpcClientOptions options = new() { Services = { AlertsRpc.Service(alerts) } };
        using RpcClient client = RpcClient.Connect(server, options);
        IPortfolio portfolio = PortfolioRpc.Client(client);

        Totals totals = await portfolio.ImportAsync(Trades());
        portfolio.Watch("ACME", limit: 1000);

        List<Valuation> valuations = [];
        await foreach (Valuation valuation in portfolio.Follow(Ticks()))
            valuations.Add(valuation); // the server has called alerts.Exceeded meanwhile, on this connection

        double risk = await portfolio.RiskAsync(10_000, new Progress<int>(percent => Console.WriteLine($"risk: {percent} %")));

        try
        {
            portfolio.Position("NONE");
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.NotFound && e.Details[0].TryRead(PortfolioRpc.Codecs.UnknownSymbol, out UnknownSymbol unknown))
        {
            Console.WriteLine($"{e.Message} There are {string.Join(", ", unknown.Known)}.");
        }

        Task<double>[] positions;
        using (client.Batch()) // these go out together, with one wake
            positions = [.. Symbols.Select(symbol => portfolio.PositionAsync(symbol))];
        // end-snippet

        portfolio.Note("that was all");
        Check(totals == new Totals(1000, Symbols.Length), "the import");
        Check(valuations.Count == 300 && valuations.All(valuation => valuation.Value != 0), "the valuations");
        Check(alerts.Seen.Count == 100 && alerts.Seen.All(alert => alert is { Symbol: "ACME", Value: > 1000 }), "the alerts");
        Check(risk > 0, "the risk");
        Check((await Task.WhenAll(positions)).Sum() == 1000, "the positions");
        Console.WriteLine($"{totals.Trades} trades, {valuations.Count} valuations, {alerts.Seen.Count} alerts: all as expected");
    }

    private static string[] Symbols { get; } = ["ACME", "BOLT", "CORE"];

    private static async IAsyncEnumerable<Trade> Trades()
    {
        for (int i = 0; i < 1000; i++)
            yield return new Trade(Symbols[i % Symbols.Length], 1);
        await Task.CompletedTask;
    }

    private static async IAsyncEnumerable<Tick> Ticks()
    {
        for (int i = 0; i < 300; i++)
            yield return new Tick(Symbols[i % Symbols.Length], 10 + i);
        await Task.CompletedTask;
    }

    private static void Check(bool right, string what)
    {
        if (!right)
            throw new InvalidDataException($"What came for {what} is not what was expected.");
    }

    private sealed class Alerts : IAlerts
    {
        public ConcurrentQueue<Alert> Seen { get; } = new();

        public void Exceeded(Alert alert) => Seen.Enqueue(alert);
    }
}
