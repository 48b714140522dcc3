// Sysmon.Daemon: serves this machine's live data. Twin of ../cpp/daemon.cpp.
//
//     Sysmon.Daemon [--name NAME] [--socket PATH]
//
// Prints "ready" when it serves; SIGTERM or SIGINT end it.
using System;
using System.Net.Sockets;
using Ipc.Rpc;
using Sysmon;

string name = "sysmon";
string? socketPath = null;
for (int i = 0; i < args.Length; i += 2)
{
    switch (args[i])
    {
        case "--name" when i + 1 < args.Length:
            name = args[i + 1];
            break;
        case "--socket" when i + 1 < args.Length:
            socketPath = args[i + 1];
            break;
        default:
            Console.Error.WriteLine("usage: Sysmon.Daemon [--name NAME] [--socket PATH]");
            return 2;
    }
}

using var ended = new EndSignals();
try
{
    var data = new SystemData();
    using RpcServer server = RpcServer.Start(name, SystemMonitorRpc.Service(new SystemMonitor(data)));
    using var rival = socketPath is null ? null : new SocketServer<TableRequest, Table>(socketPath, SystemMonitorRpc.Get, request => data.Fill(request.Ids, request.Fields));
    Console.WriteLine("ready");
    ended.Wait();
    return 0;
}
catch (Exception failure) when (failure is Ipc.IpcException or SocketException)
{
    Console.Error.WriteLine("Sysmon.Daemon: " + failure.Message);
    return 1;
}
