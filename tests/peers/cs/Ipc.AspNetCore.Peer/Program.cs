using System;
using System.Net.Http;
using Ipc;
using Ipc.AspNetCore;
using Ipc.AspNetCore.Peer;
using Ipc.Pipelines;
using Microsoft.AspNetCore.Builder;

// A client in a process of its own: ask NAME PATH. Says what it was answered.
if (args[0] == "ask")
{
    using HttpClient client = new(IpcHttp.CreateHandler(args[1], new IpcPipeOptions { Access = Access.Everybody }));
    Console.WriteLine(await client.GetStringAsync(new Uri("http://localhost" + args[2])));
    return 0;
}

// A server in a process of its own: NAME. Until its input ends.
await using WebApplication server = TestServer.Build(args[0]);
await server.StartAsync();
Console.WriteLine("ready");
await Console.In.ReadToEndAsync();
await server.StopAsync();
return 0;
