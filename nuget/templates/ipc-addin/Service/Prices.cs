using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc;

namespace IpcAddin._1;

/// <summary>One object answers all clients, several calls at once: protect what they share.</summary>
public sealed class Prices : IPrices
{
    private static readonly Dictionary<string, double> Known = new() { ["ACME"] = 101.5, ["INITECH"] = 7.25, ["HOOLI"] = 950 };

    public double Get(string symbol)
        => Known.TryGetValue(symbol, out double price) ? price : throw new RpcCallException(RpcStatus.NotFound, $"there is no {symbol}");

    public IReadOnlyList<double> GetMany(IReadOnlyList<string> symbols) => symbols.Select(Get).ToList();
}
