using System;
using System.Globalization;
using System.IO;
using System.Net.WebSockets;
using System.Security.Claims;
using System.Threading;
using System.Threading.Channels;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using ProtoBuf.Grpc.Server;

namespace Ipc.AspNetCore.Peer;

/// <summary>The server of the tests, in their process or in one of its own.</summary>
public static class TestServer
{
    public static WebApplication Build(string name, Action<IWebHostBuilder>? configure = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseIpc(name).ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = null);
        configure?.Invoke(builder.WebHost);
        builder.Services.AddGrpc(static options =>
        {
            options.MaxReceiveMessageSize = null;
            options.Interceptors.Add<Stamping>();
        });
        builder.Services.AddGrpcReflection();
        builder.Services.AddSignalR();
        builder.Services.AddGrpcHealthChecks().AddCheck("up", static () => Microsoft.Extensions.Diagnostics.HealthChecks.HealthCheckResult.Healthy());
        builder.Services.AddCodeFirstGrpc();
        WebApplication app = builder.Build();
        app.MapGrpcService<EchoService>();
        app.MapGrpcService<Sums>();
        app.MapGrpcHealthChecksService();
        app.MapGrpcReflectionService();
        app.MapGet("/peer", static (HttpContext context) => $"{context.Request.Protocol} {context.Features.Get<IIpcPeerFeature>()?.ProcessId.ToString(CultureInfo.InvariantCulture) ?? "nobody"}");
        app.MapGet("/user", static (HttpContext context) =>
        {
            ClaimsPrincipal? user = context.Features.Get<IConnectionUserFeature>()?.User;
            return $"{context.Features.Get<IIpcPeerFeature>()?.UserId} {user?.FindFirstValue(ClaimTypes.NameIdentifier)} {user?.Identity?.Name ?? "nameless"} {user?.Identity?.IsAuthenticated} {user?.Identity?.AuthenticationType}";
        });
        app.UseWebSockets();
        app.Map("/socket", static async (HttpContext context) =>
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
            byte[] part = new byte[20_000];
            for (; ; )
            {
                ValueWebSocketReceiveResult received = await socket.ReceiveAsync(part.AsMemory(), context.RequestAborted);
                if (received.MessageType == WebSocketMessageType.Close)
                    break;
                await socket.SendAsync(part.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, context.RequestAborted);
            }

            await socket.CloseAsync(socket.CloseStatus!.Value, socket.CloseStatusDescription, context.RequestAborted);
        });
        app.MapHub<ChatHub>("/hub");
        Channel<int> ticks = Channel.CreateUnbounded<int>();
        int last = -1;
        app.MapGet("/events", (CancellationToken gone) => TypedResults.ServerSentEvents(ticks.Reader.ReadAllAsync(gone), "tick"));
        app.MapPost("/events", () => ticks.Writer.TryWrite(Interlocked.Increment(ref last)));
        app.MapPost("/length", static async (HttpContext context) =>
        {
            byte[] bytes = new byte[1 << 16];
            long length = 0;
            for (int read; (read = await context.Request.Body.ReadAsync(bytes)) != 0;)
                length += read;
            return length.ToString(CultureInfo.InvariantCulture);
        });
        app.MapGet("/bytes/{count}", static async (HttpContext context, long count) =>
        {
            context.Response.ContentLength = count;
            byte[] bytes = new byte[1 << 16];
            for (long sent = 0; sent < count; sent += bytes.Length)
                await context.Response.Body.WriteAsync(bytes.AsMemory(0, (int)Math.Min(bytes.Length, count - sent)));
        });
        app.MapPost("/echo", static async (HttpContext context) =>
        {
            // whole, for a client of HTTP/1.1 reads no answer before it has sent its body: with any transport, what is longer than the buffers would stand still
            using MemoryStream body = new();
            await context.Request.Body.CopyToAsync(body);
            body.Position = 0;
            await body.CopyToAsync(context.Response.Body);
        });
        return app;
    }
}
