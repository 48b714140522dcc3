using System;
using Chat;

// A chat room, and the people in it. The client's twin is ../c/chat.c: people of both languages are in one room.
switch (args)
{
    case ["room", var room, var log]:
        return Room.Run(room, log);
    case ["join", var room, var seat, var name]:
        return Person.Run(room, seat, name, null);
    case ["join", var room, var seat, var name, var file]:
        return Person.Run(room, seat, name, file);
    default:
        Console.Error.WriteLine("usage: chat room ROOM LOG | join ROOM SEAT NAME [FILE]");
        return 2;
}
