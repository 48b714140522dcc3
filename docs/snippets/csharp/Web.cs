using System;
using System.Net;
using System.Net.Http;
using System.Security.Claims;
using System.Threading.Tasks;
using Ipc;
using Ipc.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Snippets;

internal static class Web
{
    public static async Task Run()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        // snippet: server
        builder.WebHost.UseIpc("shop"); // beside other end points of its options and its configuration
        await using WebApplication app = builder.Build();
        app.MapGet("/hello", static (HttpContext context) => $"hello by {context.Request.Protocol}");
        app.MapGet("/who", static (HttpContext context) => context.Features.Get<IIpcPeerFeature>()?.ProcessId); // null: by another way
        // end-snippet
        // snippet: user
        app.Use(static (context, next) =>
        {
            context.User = context.Features.Get<IConnectionUserFeature>()?.User?.Clone() ?? context.User; // each request has its own
            return next(context);
        });
        app.MapGet("/me", static (ClaimsPrincipal user) => user.FindFirstValue(ClaimTypes.NameIdentifier)); // as `id -u` has it
        // end-snippet
        await app.StartAsync();

        // snippet: client
        using HttpClient client = new(IpcHttp.CreateHandler("shop"))
        {
            BaseAddress = new Uri("http://localhost"), // says nothing of where the server is
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        Console.WriteLine(await client.GetStringAsync("/hello")); //> hello by HTTP/2
        // end-snippet
        Console.WriteLine(await client.GetStringAsync("/who") == $"{Environment.ProcessId}"); //> True
        Console.WriteLine(uint.TryParse(await client.GetStringAsync("/me"), out _)); //> True

        // snippet: dead
        using HttpClient other = new(IpcHttp.CreateHandler("nobody"));
        try
        {
            await other.GetStringAsync(new Uri("http://localhost/hello"));
        }
        catch (HttpRequestException e) when (e.InnerException is IpcException cause)
        {
            Console.WriteLine(cause.Status); //> NotFound
        }
        // end-snippet
    }
}
