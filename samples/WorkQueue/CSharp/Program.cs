using System;
using WorkQueue;

// Counts the lines of many files with as many workers as one likes, each of which may be killed at any time. The twin of
// ../cpp/workqueue.cpp: any submitter works with any workers.
switch (args)
{
    case ["submit", var name, var folder]:
        return Submitter.Run(name, folder);
    case ["work", var name]:
        return Counter.Run(name);
    default:
        Console.Error.WriteLine("usage: workqueue submit NAME FOLDER | work NAME");
        return 2;
}
