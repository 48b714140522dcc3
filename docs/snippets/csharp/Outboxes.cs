using System;
using System.IO;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;

namespace Snippets;

[IpcService("audit.v1")]
public interface IAudit
{
    [IpcOneWay]
    Task NoteAsync(string what);
}

internal static class Outboxes
{
    public static async Task Run()
    {
        // snippet: outbox
        await using RabbitMqOutbox outbox = RabbitMqOutbox.Open("audit", "amqp://me:secret@broker/trading/audit");
        await outbox.For<IAudit>().NoteAsync("sold 100"); // in the queue, whether or not there is a broker
        // end-snippet

        Console.WriteLine(outbox.Waiting); //> 1
        await outbox.DisposeAsync();
        foreach (string file in Directory.GetFiles(Environment.GetEnvironmentVariable("IPC_DIR")!, outbox.Name + "*"))
            File.Delete(file); // it stays, and nobody waits for it here
    }
}
