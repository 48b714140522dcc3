using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Portfolio;

/// <summary>The server's side.</summary>
internal sealed class Portfolios : IPortfolio
{
    private readonly ConcurrentDictionary<string, double> _positions = new();
    private readonly ConcurrentDictionary<string, (double Limit, IAlerts Alerts)> _watched = new();

    public async Task<Totals> ImportAsync(IAsyncEnumerable<Trade> trades, CancellationToken cancellationToken)
    {
        int count = 0;
        await foreach (Trade trade in trades.WithCancellation(cancellationToken))
        {
            _positions.AddOrUpdate(trade.Symbol, trade.Quantity, (_, held) => held + trade.Quantity);
            count++;
        }

        return new Totals(count, _positions.Count);
    }

    // snippet: follow
    public async IAsyncEnumerable<Valuation> Follow(IAsyncEnumerable<Tick> ticks, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (Tick tick in ticks.WithCancellation(cancellationToken))
        {
            double value = tick.Price * _positions.GetValueOrDefault(tick.Symbol);
            if (_watched.TryGetValue(tick.Symbol, out var watched) && value > watched.Limit)
                watched.Alerts.Exceeded(new Alert(tick.Symbol, value)); // a call to the client that watches, from within its own
            yield return new Valuation(tick.Symbol, value);
        }
    }

    public void Watch(string symbol, double limit) => _watched[symbol] = (limit, PortfolioRpc.Callback(RpcContext.Current!));
    // end-snippet

    public async Task<double> RiskAsync(int scenarios, IProgress<int> progress, CancellationToken cancellationToken)
    {
        double worst = 0;
        for (int i = 0; i < scenarios; i++)
        {
            worst = Math.Max(worst, _positions.Values.Sum(Math.Abs) * (i % 100) / 100.0);
            if (i % 1000 == 999)
            {
                progress.Report((i + 1) * 100 / scenarios);
                await Task.Yield();
                cancellationToken.ThrowIfCancellationRequested();
            }
        }

        return worst;
    }

    // snippet: detail
    public double Position(string symbol) => _positions.TryGetValue(symbol, out double held)
        ? held
        : throw new RpcCallException(RpcStatus.NotFound, $"There is no position in {symbol}.", [RpcDetail.Of(PortfolioRpc.Codecs.UnknownSymbol, new UnknownSymbol(symbol, [.. _positions.Keys.Order()]))]);
    // end-snippet

    public Task<double> PositionAsync(string symbol) => Task.FromResult(Position(symbol));

    public void Note(string text) => Console.WriteLine("note: " + text);
}
