using System;
using System.Linq;
using System.Threading.Tasks;
using Grpc.Net.Client;
using Ipc.Grpc;
using Ipc.Rpc;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Snippets;

internal static class Gateways
{
    public static async Task Run()
    {
        using RpcServer server = RpcServer.Start("store", StoreRpc.Service(new Store()));
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0").ConfigureKestrel(
            static kestrel => kestrel.ConfigureEndpointDefaults(static listen => listen.Protocols = HttpProtocols.Http2));
        // snippet: map
        builder.Services.AddIpcGrpc();
        await using WebApplication app = builder.Build();
        app.MapIpcService<IStore>("store"); // what the Ipc server "store" serves, in this process or another
        app.MapIpcReflection();             // for grpcurl and its like
        // end-snippet
        await app.StartAsync();

        string address = app.Urls.Single();

        // snippet: call
        using GrpcChannel channel = GrpcChannel.ForAddress(address);
        IStore store = GrpcCaller.Of<IStore>(channel.CreateCallInvoker()).WithTimeout(TimeSpan.FromSeconds(5)).For<IStore>();
        Console.WriteLine(store.Get("apple").Count); //> 10
        // end-snippet
    }
}
