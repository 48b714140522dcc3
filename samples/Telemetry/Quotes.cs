using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using QuickStart;

namespace Telemetry;

internal sealed class Quotes : IQuotes
{
    public Quote Get(QuoteRequest request) => new(request.Symbol, 100);

    public async IAsyncEnumerable<Quote> Watch(QuoteRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (int price = 100; price < 105; price++)
        {
            await Task.Yield();
            yield return new(request.Symbol, price);
        }
    }
}
