using System;
using FileCopy;

// Copies files from one program to another, each of which may be killed at any time and started again. The twin of
// ../cpp/filecopy.cpp: any sender works with any receiver.
switch (args)
{
    case ["send", var server, var name, var file]:
        return Sender.Run(server, name, file);
    case ["receive", var server, var folder]:
        return Receiver.Run(server, folder);
    default:
        Console.Error.WriteLine("usage: filecopy send SERVER NAME FILE | receive SERVER FOLDER");
        return 2;
}
