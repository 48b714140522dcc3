using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quotes;

// A host that serves the contract itself and is a client of the server that is named: both are asked through the container.
HostApplicationBuilder own = Host.CreateApplicationBuilder();
own.Logging.ClearProviders();
own.Services.AddIpcServer("hosted").AddService<IQuotes, OwnQuotes>(QuotesRpc.Service);
own.Services.AddIpcClient<IQuotes>("hosted", QuotesRpc.Client);
using IHost host = own.Build();
await host.StartAsync();
await Client.Run(host.Services.GetRequiredService<IQuotes>());

HostApplicationBuilder foreign = Host.CreateApplicationBuilder();
foreign.Logging.ClearProviders();
foreign.Services.AddIpcClient<IQuotes>(args[0], QuotesRpc.Client);
using IHost other = foreign.Build();
await other.StartAsync();
await Client.Run(other.Services.GetRequiredService<IQuotes>());
await other.StopAsync();
await host.StopAsync();
Console.WriteLine("a call and a stream to the host's own server and to another");

internal sealed class OwnQuotes : IQuotes
{
    public Task<Quote> Get(QuoteRequest request, CancellationToken cancellationToken = default) => Task.FromResult(new Quote { Symbol = request.Symbol, Price = 100.5 });

    public async IAsyncEnumerable<Quote> Watch(QuoteRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
            yield return await Get(request, cancellationToken);
    }
}
