using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace QuickStart;

// snippet: service
internal sealed class Quotes : IQuotes
{
    public Quote Get(QuoteRequest request) => new(request.Symbol, 100 + Random.Shared.NextDouble());

    public async IAsyncEnumerable<Quote> Watch(QuoteRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            yield return Get(request);
            await Task.Delay(TimeSpan.FromMilliseconds(100), cancellationToken);
        }
    }
}
// end-snippet
