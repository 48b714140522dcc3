using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Quotes;

// The same contract three times: protobuf-net with the C++ server that is named, and with an own one that has both adapters, by each of them.
var protobufNet = new ProtobufNetIpcSerializer();
var messagePack = new MessagePackIpcSerializer();
await Run(args[0], protobufNet);
string own = "serializers-" + Guid.NewGuid().ToString("N");
using (RpcServer.Start(own, new RpcServerOptions { Serializers = { protobufNet, messagePack } }, [QuotesRpc.Service(new OwnQuotes())]))
{
    await Run(own, protobufNet);
    await Run(own, messagePack);
    await Run(own, null);
}

Console.WriteLine("protobuf-net to C++, protobuf-net, MessagePack and protobuf to itself");

static async Task Run(string server, IpcSerializer? serializer)
{
    using RpcClient client = RpcClient.Connect(server, new RpcClientOptions { Serializer = serializer });
    await Client.Run(QuotesRpc.Client(client));
}

internal sealed class OwnQuotes : IQuotes
{
    public Task<Quote> Get(QuoteRequest request, CancellationToken cancellationToken = default) => Task.FromResult(new Quote { Symbol = request.Symbol, Price = 100.5 });

    public async IAsyncEnumerable<Quote> Watch(QuoteRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
            yield return await Get(request, cancellationToken);
    }
}
