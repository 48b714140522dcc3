using System;
using System.Net;
using System.Net.Http;
using Ipc.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

// Requests to a server in another process, then to one in this process, by HTTP/1.1 and by HTTP/2. Both answer /peer with the protocol and with the process that asks.
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseIpc("web.own");
await using WebApplication own = builder.Build();
own.MapGet("/peer", static (HttpContext context) => $"{context.Request.Protocol} {context.Features.Get<IIpcPeerFeature>()?.ProcessId}");
await own.StartAsync();

foreach (string name in new[] { args[0], "web.own" })
{
    foreach (Version version in new[] { HttpVersion.Version11, HttpVersion.Version20 })
    {
        using HttpClient client = new(IpcHttp.CreateHandler(name))
        {
            BaseAddress = new Uri("http://localhost"),
            DefaultRequestVersion = version,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        string expected = $"HTTP/{(version.Major == 2 ? "2" : "1.1")} {Environment.ProcessId}", answer = await client.GetStringAsync("/peer");
        if (answer != expected)
            throw new InvalidOperationException($"{name} answers \"{answer}\", not \"{expected}\"");
    }
}

await own.StopAsync();
Console.WriteLine("HTTP/1.1 and HTTP/2 to another process and to this one");
