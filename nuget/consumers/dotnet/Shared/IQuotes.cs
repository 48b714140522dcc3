using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Quotes;

/// <summary>The contract of the quick start, as somebody else would write it down for every framework.</summary>
[IpcService("quotes.v1")]
public interface IQuotes
{
    Task<Quote> Get(QuoteRequest request, CancellationToken cancellationToken = default);

    IAsyncEnumerable<Quote> Watch(QuoteRequest request, CancellationToken cancellationToken = default);
}

[DataContract]
public sealed class QuoteRequest
{
    [DataMember(Order = 1)]
    public string Symbol { get; set; } = "";
}

[DataContract]
public sealed class Quote
{
    [DataMember(Order = 1)]
    public string Symbol { get; set; } = "";

    [DataMember(Order = 2)]
    public double Price { get; set; }
}
