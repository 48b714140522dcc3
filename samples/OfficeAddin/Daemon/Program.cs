// OfficeAddin.Daemon: serves a table of the user's, this machine's live data and a few functions to spreadsheets. Twin of ../cpp/daemon.cpp.
//
//     OfficeAddin.Daemon [--name NAME] [--csv FILE] [--socket PATH]
//
// Prints "ready" when it serves; SIGTERM or SIGINT end it.
using System;
using System.IO;
using System.Net.Sockets;
using Ipc.Rpc;
using OfficeAddin;
using Sysmon;

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

using var ended = new EndSignals();
try
{
    var table = new SheetTable(csvPath is null ? CsvTable.Nothing : CsvTable.Read(csvPath));
    using RpcServer server = RpcServer.Start(name, SheetRpc.Service(new Sheet(table)));
    using var rival = socketPath is null ? null : new SocketServer<GridRequest, Cells>(socketPath, SheetRpc.Grid, request => CellPacking.Pack(table.Read(request)));
    Console.WriteLine("ready");
    ended.Wait();
    return 0;
}
catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or SocketException or Ipc.IpcException)
{
    Console.Error.WriteLine("OfficeAddin.Daemon: " + failure.Message);
    return 1;
}
