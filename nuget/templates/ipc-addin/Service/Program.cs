using System;
using Ipc.Rpc;

namespace IpcAddin._1;

internal static class Program
{
    private static void Main()
    {
        using RpcServer server = RpcServer.Start(PricesAddress.Name, PricesRpc.Service(new Prices()));
        Console.WriteLine($"serving {PricesAddress.Name}; Enter ends it");
        Console.ReadLine();
    }
}
