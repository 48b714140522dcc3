using System;
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
        NamedConnectionOptions options = new() { Login = Encoding.UTF8.GetBytes(name) };
        using NamedConnection chat = NamedConnection.Open(room, seat, options);
        new Thread(() => Speak(chat, file)) { IsBackground = true }.Start();
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

    private static void Speak(NamedConnection chat, string? file)
    {
        if (file is not null)
        {
            foreach (string line in File.ReadLines(file).Skip((int)chat.LastSent)) // a former life has said some
            {
                chat.Send(Encoding.UTF8.GetBytes(line)); // it waits in memory for the room
                Thread.Sleep(1); // nobody talks faster
            }

            return;
        }

        while (Console.ReadLine() is { } line)
            chat.Send(Encoding.UTF8.GetBytes(line));
        chat.Stop(); // nothing more is typed: the person leaves
    }
}
