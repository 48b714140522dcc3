using System;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Net.Client;
using Ipc.AspNetCore;
using Ipc.Pipelines;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using StreamJsonRpc;
using Unmodified;

// server NAME   serves gRPC as NAME and StreamJsonRpc as NAME-json, until its input ends
// client NAME   asks both
switch (args)
{
    case ["server", string name]:
        await ServeAsync(name);
        return 0;
    case ["client", string name]:
        await AskGrpcAsync(name);
        await AskJsonAsync(name);
        return 0;
    default:
        Console.Error.WriteLine("usage: server NAME | client NAME");
        return 2;
}

static async Task ServeAsync(string name)
{
    // snippet: server
    WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
    builder.Logging.ClearProviders();
    builder.Services.AddGrpc();
    builder.WebHost.UseIpc(name); // the only line of Ipc; other end points may be beside it
    await using WebApplication app = builder.Build();
    app.MapGrpcService<QuoteService>();
    await app.StartAsync();
    // end-snippet

    // snippet: json-server
    await using IpcPipeListener listener = IpcPipeListener.Open(name + "-json");
    Task serving = Task.Run(async () =>
    {
        await foreach (IpcPipe pipe in listener.AcceptAllAsync()) // until it is disposed
            JsonRpc.Attach(pipe.AsStream(), new Calculator());
    });
    // end-snippet

    Console.WriteLine("ready");
    while (Console.ReadLine() is not null)
    {
    }

    listener.Stop();
    await serving;
    await app.StopAsync();
}

static async Task AskGrpcAsync(string name)
{
    // snippet: client
    using GrpcChannel channel = GrpcChannel.ForAddress(
        "http://localhost", // says nothing of where the server is
        new GrpcChannelOptions { HttpHandler = IpcHttp.CreateHandler(name), DisposeHttpClient = true });
    Quotes.QuotesClient client = new(channel);
    // end-snippet

    QuoteRequest request = new() { Symbol = "EURUSD" };
    Quote quote = await client.GetAsync(request, deadline: DateTime.UtcNow.AddSeconds(10));
    Console.WriteLine($"{quote.Symbol} {quote.Price}, asked by {(quote.AskedBy == Environment.ProcessId ? "this process" : "somebody else")}");
    using AsyncServerStreamingCall<Quote> watch = client.Watch(request);
    await foreach (Quote one in watch.ResponseStream.ReadAllAsync(CancellationToken.None))
        Console.WriteLine($"{one.Symbol} {one.Price}");
    try
    {
        await client.GetAsync(new QuoteRequest());
    }
    catch (RpcException e)
    {
        Console.WriteLine($"{e.StatusCode}: {e.Status.Detail}");
    }
}

static async Task AskJsonAsync(string name)
{
    // snippet: json-client
    await using IpcPipe pipe = await IpcPipe.ConnectAsync(name + "-json");
    ICalculator calculator = JsonRpc.Attach<ICalculator>(pipe.AsStream());
    Console.WriteLine($"2 + 3 = {await calculator.AddAsync(2, 3)}");
    // end-snippet
}
