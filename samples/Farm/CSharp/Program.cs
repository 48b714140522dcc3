using System;
using Farm;

// A compute farm: any number of workers, on any number of machines, that come and go while one coordinator has its work done by them.
switch (args)
{
    case ["work", var address, var name]:
        return await Worker.RunAsync(address, name);
    case ["run", var address, var limit] when long.TryParse(limit, out long number) && number is > 0 and <= 10_000_000_000:
        return await new Coordinator(address, number).RunAsync();
    default:
        Console.Error.WriteLine("usage: farm work ADDRESS NAME | run ADDRESS LIMIT   (LIMIT at most 10000000000; ADDRESS is amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE)");
        return 2;
}
