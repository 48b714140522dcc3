using System;
using System.IO;

// usage: Host OLD.dll NEW.dll SERVER     two versions of the packages in one process, each a server and a client of everybody
var older = new LoadedPlugin(Path.GetFullPath(args[0]));
var newer = new LoadedPlugin(Path.GetFullPath(args[1]));
if (older.Version == newer.Version)
    throw new InvalidOperationException("both are version " + older.Version);

using (older.Serve("two.older"))
using (newer.Serve("two.newer"))
{
    foreach (string server in new[] { "two.older", "two.newer", args[2] })
    {
        await older.Ask(server);
        await newer.Ask(server);
    }
}

Console.WriteLine("versions " + older.Version + " and " + newer.Version + ": each with itself, with the other and with the same peer");
