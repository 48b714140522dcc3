using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

internal static class Once
{
    public static async Task Run()
    {
        string directory = Directory.CreateTempSubdirectory("payments-").FullName;
        // snippet: server
        using FileOnceStore store = new(Path.Combine(directory, "payments.once"));
        RpcServerOptions options = new() { Once = { KeepFor = TimeSpan.FromHours(1), Store = store } };
        using RpcServer server = RpcServer.Start("payments", options, PaymentsRpc.Service(new Payments()));
        // end-snippet

        // snippet: call
        using RpcClient client = RpcClient.Connect("payments");
        Receipt receipt = await client.WithTimeout(TimeSpan.FromSeconds(30)).For<IPayments>().PayAsync(new Order("pear", 1));
        Console.WriteLine(receipt.Number); //> 1
        // end-snippet

        string note = Path.Combine(directory, "to-pay");
        for (int run = 0; run < 2; run++)
        {
            // snippet: id
            // One id for this payment, kept in a file: a program that is started again finds it there.
            if (!File.Exists(note))
                File.WriteAllText(note, RpcOnceId.New().ToString());
            RpcOnceId id = RpcOnceId.Parse(File.ReadAllText(note));
            try
            {
                receipt = await client.WithOnceId(id).For<IPayments>().PayAsync(new Order("apple", 2));
                Console.WriteLine(receipt.Number); //> 2
            }
            catch (RpcCallException e) when (e.OnceRefusal is RpcOnceRefusal.Unknown or RpcOnceRefusal.Forgotten)
            {
                Console.WriteLine("Nobody knows whether that was paid: look at the account."); // and do not pay again
            }

            // end-snippet
        }

        // The second run is answered from memory: //> 2

        await server.StopAsync();
        store.Dispose();
        Directory.Delete(directory, recursive: true);
    }

    private sealed class Payments : IPayments
    {
        private int _number;

        public Task<Receipt> PayAsync(Order order, CancellationToken cancellationToken = default)
            => Task.FromResult(new Receipt(Interlocked.Increment(ref _number), 0));
    }
}
