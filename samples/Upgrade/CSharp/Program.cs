using System;
using Upgrade;

// A service that is replaced by its next version while it is used: the twin of ../cpp/upgrade.cpp, and either replaces the other.
switch (args)
{
    case ["serve", var name, var version]:
        return await Server.Run(name, int.Parse(version));
    case ["ask", var name, var last]:
        return Client.Run(name, int.Parse(last));
    default:
        Console.Error.WriteLine("usage: upgrade serve NAME VERSION | ask NAME LAST-VERSION");
        return 2;
}
