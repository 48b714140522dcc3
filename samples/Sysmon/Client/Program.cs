// Sysmon.Client: asks a daemon, C++ or C#, for this machine's live data. Twin of ../cpp/client.cpp.
//
//     Sysmon.Client [--name NAME] show                             tables and samples until Ctrl+C
//     Sysmon.Client [--name NAME] [--socket PATH] pair             everything in one line
//     Sysmon.Client [--name NAME] [--socket PATH] [--kill PID] tour  what ./demo.sh shows
//     Sysmon.Client --name NAME,NAME,... many TIMES                several machines in one table, once a second
using System;
using System.IO;
using System.Net.Sockets;
using Ipc.Rpc;
using Sysmon;

if (Options.Parse(args) is not { } options)
{
    Console.Error.WriteLine("usage: Sysmon.Client [--name NAME] [--socket PATH] [--kill PID] tour|pair|show|many TIMES");
    return 2;
}
try
{
    if (options.Verb == "many")
        return await Many.WatchAsync(options.Name.Split(','), options.Times) ? 0 : 1;
    using RpcClient client = RpcClient.Connect(options.Name);
    var tour = new Tour(client, options);
    switch (options.Verb)
    {
        case "pair":
            await tour.Pair();
            break;
        case "show":
            await tour.Tables();
            await tour.Samples(0);
            break;
        default:
            await tour.Tables();
            await tour.Samples(10);
            await tour.RoundTripTimes();
            if (options.KillProcess != 0)
                await tour.Outage();
            break;
    }
    return 0;
}
catch (Exception failure) when (failure is RpcCallException or IOException or InvalidDataException or InvalidOperationException or SocketException or TimeoutException)
{
    Console.Error.WriteLine($"Sysmon.Client: {failure}");
    return 1;
}
