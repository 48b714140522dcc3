using System;
using System.Linq;
using Grpc.Net.Client;
using Ipc.Grpc;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Quotes;

// A gateway to the server that is named, and the contract called over gRPC through it.
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0").ConfigureKestrel(
    static kestrel => kestrel.ConfigureEndpointDefaults(static listen => listen.Protocols = HttpProtocols.Http2));
builder.Services.AddIpcGrpc();
await using WebApplication gateway = builder.Build();
gateway.MapIpcService<IQuotes>(args[0]);
gateway.MapIpcReflection();
await gateway.StartAsync();
using (GrpcChannel channel = GrpcChannel.ForAddress(gateway.Urls.Single()))
    await Client.Run(GrpcCaller.Of<IQuotes>(channel.CreateCallInvoker()).For<IQuotes>());
await gateway.StopAsync();
Console.WriteLine("a call and a stream over gRPC");
