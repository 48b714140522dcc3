using System;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Portfolio;

// snippet: contract
/// <summary>Every shape that a call can have.</summary>
[IpcService("portfolio.v1", Callback = typeof(IAlerts))]
public interface IPortfolio
{
    Task<Totals> ImportAsync(IAsyncEnumerable<Trade> trades, CancellationToken cancellationToken = default);

    IAsyncEnumerable<Valuation> Follow(IAsyncEnumerable<Tick> ticks, CancellationToken cancellationToken = default);

    Task<double> RiskAsync(int scenarios, IProgress<int> progress, CancellationToken cancellationToken = default);

    [IpcFault(typeof(UnknownSymbol))]
    double Position(string symbol);

    Task<double> PositionAsync(string symbol);

    void Watch(string symbol, double limit);

    [IpcOneWay]
    void Note(string text);
}

/// <summary>What the server calls, on the connection of the client that watches.</summary>
[IpcService("portfolio.alerts.v1")]
public interface IAlerts
{
    void Exceeded(Alert alert);
}
// end-snippet

[DataContract]
public sealed record Trade([property: DataMember(Order = 1)] string Symbol, [property: DataMember(Order = 2)] double Quantity);

[DataContract]
public sealed record Totals([property: DataMember(Order = 1)] int Trades, [property: DataMember(Order = 2)] int Symbols);

[DataContract]
public sealed record Tick([property: DataMember(Order = 1)] string Symbol, [property: DataMember(Order = 2)] double Price);

[DataContract]
public sealed record Valuation([property: DataMember(Order = 1)] string Symbol, [property: DataMember(Order = 2)] double Value);

[DataContract]
public sealed record Alert([property: DataMember(Order = 1)] string Symbol, [property: DataMember(Order = 2)] double Value);

/// <summary>What an error of <see cref="IPortfolio.Position"/> tells beside its text.</summary>
[DataContract]
public sealed record UnknownSymbol([property: DataMember(Order = 1)] string Symbol, [property: DataMember(Order = 2)] List<string> Known);
