// Sysmon.Daemon: serves this machine's live data. Twin of ../cpp/daemon.cpp.
//
//     Sysmon.Daemon [--name NAME] [--socket PATH]
//
// Prints "ready" when it serves; SIGTERM or SIGINT end it.
using System;
using System.Runtime.InteropServices;
using System.Threading;
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

using var ended = new ManualResetEventSlim();
void End(PosixSignalContext signal)
{
    signal.Cancel = true; // not the runtime's way out: ours, which leaves in good order
    ended.Set();
}

using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);

var data = new SystemData();
using RpcServer server = RpcServer.Start(name, SystemMonitorRpc.Service(new SystemMonitor(data)));
using SocketServer? rival = socketPath is null ? null : new SocketServer(socketPath, data);
Console.WriteLine("ready");
ended.Wait();
return 0;
