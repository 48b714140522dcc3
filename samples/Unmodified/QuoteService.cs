using System.Threading.Tasks;
using Grpc.Core;
using Ipc.AspNetCore;

namespace Unmodified;

/// <summary>A service of gRPC as there are many. Only who wants to know who asks needs a word of Ipc in it.</summary>
internal sealed class QuoteService : Quotes.QuotesBase
{
    public override Task<Quote> Get(QuoteRequest request, ServerCallContext context)
    {
        if (request.Symbol.Length == 0)
            throw new RpcException(new Status(StatusCode.InvalidArgument, "a quote of what?"));
        return Task.FromResult(QuoteOf(request, 0, context));
    }

    public override async Task Watch(QuoteRequest request, IServerStreamWriter<Quote> responseStream, ServerCallContext context)
    {
        for (int i = 0; i < 5; i++)
            await responseStream.WriteAsync(QuoteOf(request, i, context), context.CancellationToken);
    }

    private static Quote QuoteOf(QuoteRequest request, int step, ServerCallContext context) => new()
    {
        Symbol = request.Symbol,
        Price = 100 + step,
        AskedBy = context.GetHttpContext().Features.Get<IIpcPeerFeature>()?.ProcessId ?? 0, // null: by another way
    };
}
