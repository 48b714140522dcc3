using System;
using Ipc.AspNetCore.Peer;
using Microsoft.AspNetCore.Builder;

// A server in a process of its own: NAME. Until its input ends.
await using WebApplication server = TestServer.Build(args[0]);
await server.StartAsync();
Console.WriteLine("ready");
await Console.In.ReadToEndAsync();
await server.StopAsync();
return 0;
