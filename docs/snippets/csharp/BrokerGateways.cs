using System;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc.RabbitMq;

namespace Snippets;

internal static class BrokerGateways
{
    public static async Task Run()
    {
        string broker = "amqp://127.0.0.1:1"; // nobody is there: all three say so, and go on trying

        // snippet: export
        await using RabbitMqExport export = RabbitMqExport.Start("prices", broker + "/prices", new RabbitMqExportOptions
        {
            Methods = { "prices.v1/*" }, // what other machines may call
            Changed = change => Console.Error.WriteLine(change.Reason ?? "serving"),
        });
        // end-snippet

        // snippet: import
        await using RabbitMqImport import = RabbitMqImport.Start("rates", broker + "/rates", new RabbitMqImportOptions
        {
            Broker = new RabbitMqClientOptions { WaitForReady = true },
        });
        // end-snippet

        // snippet: topic
        await using RabbitMqTopic ticks = RabbitMqTopic.Start("ticks", broker + "/ticks", new RabbitMqTopicOptions
        {
            Policy = TopicPolicy.Latest, // where the broker is slower than the writers: the newest of each key
        });
        // end-snippet

        Console.WriteLine(export.IsServing || import.IsServing || ticks.IsServing); //> False
    }
}
