// snippet: contract
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using Ipc.Rpc;

namespace QuickStart;

[IpcService("quotes.v1")]
public interface IQuotes
{
    Quote Get(QuoteRequest request);
    IAsyncEnumerable<Quote> Watch(QuoteRequest request, CancellationToken cancellationToken = default);
}

[DataContract]
public sealed record QuoteRequest([property: DataMember(Order = 1)] string Symbol);

[DataContract]
public sealed record Quote([property: DataMember(Order = 1)] string Symbol, [property: DataMember(Order = 2)] double Price);
// end-snippet
