using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Ipc.Rpc;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using QuickStart;
using Telemetry;

// server NAME   serves until its input ends
// client NAME   asks for a price and for a stream of them, inside one span of its own
// Either writes what it exports.

// snippet: export
using TracerProvider traces = Sdk.CreateTracerProviderBuilder()
    .AddSource("Ipc.Rpc", "Telemetry")
    .AddProcessor(new SimpleActivityExportProcessor(new Exported.Spans()))
    .Build();
using MeterProvider metrics = Sdk.CreateMeterProviderBuilder()
    .AddMeter("Ipc.Rpc", "Ipc.Core")
    .AddReader(new BaseExportingMetricReader(new Exported.Metrics()))
    .Build();
// end-snippet

switch (args)
{
    case ["server", string name]:
        using (RpcServer.Start(name, QuotesRpc.Service(new Quotes())))
        {
            Console.WriteLine("ready");
            while (Console.ReadLine() is not null)
            {
            }
        }

        break;
    case ["client", string name]:
        using (RpcClient client = RpcClient.Connect(name))
            await Ask(QuotesRpc.Client(client));
        break;
    default:
        Console.Error.WriteLine("usage: server NAME | client NAME");
        return 2;
}

return metrics.ForceFlush() ? 0 : 1;

static async Task Ask(IQuotes quotes)
{
    using var source = new ActivitySource("Telemetry");
    using Activity? span = source.StartActivity("ask for prices");
    Exported.Line("trace " + span!.TraceId);
    quotes.Get(new QuoteRequest("EURUSD"));
    await foreach (Quote quote in quotes.Watch(new QuoteRequest("EURUSD")))
        Debug.Assert(quote.Price >= 100, "prices begin at 100");
}
