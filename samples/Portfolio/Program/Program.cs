using System;
using Ipc.Rpc;
using Portfolio;

switch (args)
{
    case ["serve", { } name]:
        using (RpcServer.Start(name, PortfolioRpc.Service(new Portfolios())))
        {
            Console.WriteLine("serving");
            Console.In.ReadToEnd(); // until whoever started it goes
        }

        return 0;
    case ["use", { } name]:
        await Client.Run(name);
        return 0;
    default:
        Console.Error.WriteLine("usage: Portfolio serve|use NAME");
        return 2;
}
