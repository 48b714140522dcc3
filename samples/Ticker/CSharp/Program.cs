using System;
using Ticker;

// One writer or many, readers of every temper: the twin of ../cpp/ticker.cpp, and they understand each other.
switch (args)
{
    case ["write", var name, var count, .. var rest]:
        return Writer.Run(name, int.Parse(count), readers: rest.Length > 0 ? int.Parse(rest[0]) : 1);
    case ["read", var name, var policy, .. var rest]:
        return Reader.Run(name, Enum.Parse<Ipc.TopicPolicy>(policy, ignoreCase: true), rest.Length > 0 ? int.Parse(rest[0]) : 0,
            writers: rest.Length > 1 ? int.Parse(rest[1]) : 1);
    default:
        Console.Error.WriteLine("usage: ticker write NAME COUNT [READERS] | read NAME reliable|evict|lossy|latest [MICROSECONDS-PER-PRICE [WRITERS]]");
        return 2;
}
