using System;
using System.Threading.Tasks;
using Snippets;

// Runs the code of one file by the file's name. What it prints has to be what stands behind //> in that file.
Func<Task>? run = args is [var name] ? name switch
{
    nameof(Calls) => Calls.Run,
    nameof(Streams) => Streams.Run,
    nameof(Queues) => Queues.Run,
    nameof(Async) => Async.Run,
    nameof(Topics) => Topics.Run,
    nameof(Rings) => Rings.Run,
    nameof(Connections) => Connections.Run,
    nameof(Bytes) => Bytes.Run,
    nameof(Machines) => Machines.Run,
    nameof(Brokers) => Brokers.Run,
    nameof(BrokerGateways) => BrokerGateways.Run,
    nameof(Outboxes) => Outboxes.Run,
    nameof(Web) => Web.Run,
    nameof(Gateways) => Gateways.Run,
    nameof(Locks) => Locks.Run,
    nameof(Sizes) => Sizes.Run,
    nameof(Serializers) => Serializers.Run,
    nameof(Waits) => Waits.Run,
    nameof(Doors) => Doors.Run,
    nameof(Hosts) => Hosts.Run,
    nameof(Fakes) => Fakes.Run,
    nameof(Failures) => Failures.Run,
    nameof(Pipes) => Pipes.Run,
    nameof(Transports) => Transports.Run,
    nameof(Once) => Once.Run,
    _ => null,
} : null;
if (run is null)
{
    Console.Error.WriteLine("usage: Ipc.Snippets NAME");
    return 2;
}

await run();
return 0;
