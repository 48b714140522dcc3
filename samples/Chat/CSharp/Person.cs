using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Ipc;

namespace Chat;

/// <summary>A client: says what is typed, or the lines of a file, and prints what is said, with its number.</summary>
internal static class Person
{
    public static int Run(string room, string seat, string name, string? file)
    {
        string[]? says = file is null ? null : File.ReadAllLines(file);
        NamedConnectionOptions options = new() { Login = Encoding.UTF8.GetBytes(name) };
        using NamedConnection chat = NamedConnection.Open(room, seat, options);
        IEnumerable<string> lines = says?.Skip((int)chat.LastSent) ?? Typed(); // a former life has said some
        new Thread(() => Speak(chat, lines, leaves: says is null)) { IsBackground = true }.Start();
        try
        {
            while (chat.Receive(out NamedMessage line, Deadline.Never) == IpcStatus.Ok)
            {
                Console.WriteLine($"{line.Sequence} {Encoding.UTF8.GetString(line.Payload)}");
                chat.Acknowledge(); // killed before this line: it comes again, with the same number
            }

            return 0;
        }
        catch (ConnectionRefusedException refused)
        {
            Console.Error.WriteLine(refused.Message);
            return 1;
        }
    }

    private static void Speak(NamedConnection chat, IEnumerable<string> lines, bool leaves)
    {
        try
        {
            foreach (string line in lines)
            {
                if (chat.Send(Encoding.UTF8.GetBytes(line), 0, Deadline.Never) != IpcStatus.Ok)
                    return; // sent, it waits in memory for the room
                if (!leaves)
                    Thread.Sleep(1); // people pause; and the scene kills them while they talk
            }
        }
        catch (ConnectionRefusedException)
        {
            return; // who listens is told, too
        }

        if (leaves)
            chat.Stop(); // nothing more is typed
    }

    private static IEnumerable<string> Typed()
    {
        while (Console.ReadLine() is { } line)
            yield return line;
    }
}
