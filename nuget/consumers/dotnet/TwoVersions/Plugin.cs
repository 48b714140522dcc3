using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Quotes;

/// <summary>The same source, compiled against two versions of the package; what goes in and out is the framework's.</summary>
public static class Plugin
{
    /// <summary>The version of the package's assemblies that this copy really runs with.</summary>
    public static Version Version() => typeof(RpcClient).Assembly.GetName().Version!;

    public static IDisposable Serve(string name) => RpcServer.Start(name, QuotesRpc.Service(new OwnQuotes()));

    public static Task Ask(string server) => Client.Run(server);

    private sealed class OwnQuotes : IQuotes
    {
        public Task<Quote> Get(QuoteRequest request, CancellationToken cancellationToken = default) => Task.FromResult(new Quote { Symbol = request.Symbol, Price = 100.5 });

        public async IAsyncEnumerable<Quote> Watch(QuoteRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
        {
            while (!cancellationToken.IsCancellationRequested)
                yield return await Get(request, cancellationToken);
        }
    }
}
