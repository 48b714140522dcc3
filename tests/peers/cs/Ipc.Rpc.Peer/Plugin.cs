using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer;

/// <summary>What a plug-in does that brings the libraries with it: serves, calls in every way that has machinery of its own, and cleans up.</summary>
public static class Plugin
{
    public static async Task<int> Run(string name)
    {
        int sum = 0;
        TimeSpan patience = TimeSpan.FromMinutes(1); // all of the libraries is compiled for this load context
        using (RpcServer.Start(name, TestServiceRpc.Service(new TestService())))
        using (RpcClient client = RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = patience }))
        {
            ITestService service = TestServiceRpc.Client(client.WithTimeout(patience)); // a timer too
            sum += service.Add(1, 2);
            sum += await service.AddAsync(3, 4).ConfigureAwait(false);
            await foreach (int item in service.Count(1, 100).ConfigureAwait(false))
                sum += item;
        }

        using var queue = SharedQueue.Open(name + ".queue", new QueueOptions { Lifetime = Lifetime.WhileUsed });
        return queue.TrySend(new byte[1]) ? sum : -1;
    }
}
