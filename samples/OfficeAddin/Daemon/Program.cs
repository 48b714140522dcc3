// OfficeAddin.Daemon: serves a table of the user's, this machine's live data and a few functions to spreadsheets. Twin of ../cpp/daemon.cpp.
//
//     OfficeAddin.Daemon [--name NAME] [--csv FILE] [--socket PATH]
//
// Prints "ready" when it serves; SIGTERM or SIGINT end it.
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Ipc.Rpc;
using OfficeAddin;

string name = "sheet";
string? csvPath = null, socketPath = null;
for (int i = 0; i < args.Length; i += 2)
{
    switch (args[i])
    {
        case "--name" when i + 1 < args.Length:
            name = args[i + 1];
            break;
        case "--csv" when i + 1 < args.Length:
            csvPath = args[i + 1];
            break;
        case "--socket" when i + 1 < args.Length:
            socketPath = args[i + 1];
            break;
        default:
            Console.Error.WriteLine("usage: OfficeAddin.Daemon [--name NAME] [--csv FILE] [--socket PATH]");
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
try
{
    var table = new SheetTable(csvPath is null ? CsvTable.Nothing : CsvTable.Read(csvPath));
    using RpcServer server = RpcServer.Start(name, SheetRpc.Service(new Sheet(table)));
    using SocketServer? rival = socketPath is null ? null : new SocketServer(socketPath, table);
    Console.WriteLine("ready");
    ended.Wait();
    return 0;
}
catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or Ipc.IpcException)
{
    Console.Error.WriteLine("OfficeAddin.Daemon: " + failure.Message);
    return 1;
}
