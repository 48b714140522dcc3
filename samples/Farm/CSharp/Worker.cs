using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;

namespace Farm;

/// <summary>Takes pieces of the work, one at a time. It may be killed at any moment; asked to end, it finishes the piece in its hand.</summary>
internal sealed class Worker(string name) : IPrimes
{
    public static async Task<int> RunAsync(string address, string name)
    {
        TaskCompletionSource ends = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using PosixSignalRegistration asked = PosixSignalRegistration.Create(PosixSignal.SIGTERM, signal =>
        {
            signal.Cancel = true;
            ends.TrySetResult();
        });
        RabbitMqServerOptions options = new() { Prefetch = 1, WaitForBroker = true }; // what is ahead in a worker's hand waits for that worker
        await using RabbitMqServer server = await RabbitMqServer.StartAsync(address, options, PrimesRpc.Service(new Worker(name)));
        await ends.Task;
        await server.StopAsync(TimeSpan.FromSeconds(30));
        return 0;
    }

    public Task<Piece> CountAsync(long from, long to, CancellationToken cancellationToken = default) => Task.FromResult(new Piece
    {
        Primes = Sieve.Count(from, to, cancellationToken),
        Worker = name,
        CameAgain = RpcContext.Current!.RequestMetadata.GetText(RabbitMqMarks.Redelivered) is not null,
    });
}
