using System.Collections.Generic;
using Ipc.Rpc;

namespace IpcAddin._1;

/// <summary>What the service offers. The generator of Ipc.Rpc makes the class PricesRpc from it.</summary>
[IpcService("prices.v1")]
public interface IPrices
{
    double Get(string symbol);

    /// <summary>Many in one call: a range of a thousand cells costs little more than one cell.</summary>
    IReadOnlyList<double> GetMany(IReadOnlyList<string> symbols);
}
