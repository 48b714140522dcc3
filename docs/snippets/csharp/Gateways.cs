using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
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

        // a client of gRPC, without generated code: strings that are messages with one field
        using GrpcChannel channel = GrpcChannel.ForAddress(app.Urls.Single());
        Marshaller<string> text = Marshallers.Create(
            static value => [10, (byte)value.Length, .. Encoding.UTF8.GetBytes(value)], static bytes => Encoding.UTF8.GetString(bytes.AsSpan(2, bytes[1])));
        Method<string, string> get = new(MethodType.Unary, "store.v1.Store", "Get", text, text);
        Console.WriteLine(await channel.CreateCallInvoker().AsyncUnaryCall(get, null, default, "apple")); //> apple
    }
}
